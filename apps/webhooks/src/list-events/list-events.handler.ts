import { Controller } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { listEventsRpc, type EventFeedPage, type ListEventsRequest } from '@switchboard/contracts/webhooks/rpc';
import { RpcHandler, type RpcCall } from '@switchboard/nats';
import { Database, type Queryable } from '@switchboard/postgres';
import { FeedBeginnings } from '../event/feed-beginnings.js';
import { firstSlice, isAhead, lastPosition, readFeed, type FeedRow } from '../event/feed.repository.js';
import { feedCursor, feedPosition } from './feed-cursor.policy.js';

/** The answer fits into one message of the broker, escaped as it is there. */
const PAGE_BYTES_MAX = 700_000;

/** Answers `webhooks.list-events`. Source: docs/api-behaviour.md#events-feed. */
@Controller()
export class ListEventsHandler {
  private readonly beginnings = new FeedBeginnings();

  constructor(private readonly database: Database) {}

  /** @throws VALIDATION_FAILED for a cursor that was not answered here */
  @RpcHandler(listEventsRpc)
  async list(call: RpcCall<ListEventsRequest>): Promise<EventFeedPage> {
    const { organizationId: tenant } = call.principal;
    const { types, from, cursor } = call.request;
    // A page without a filter is short. What a filter wants may be as rare as once in all that is kept: it takes a turn of
    // its organization.
    if (types === null && (from === null || cursor !== null)) return this.readPage(this.database, tenant, call.request);
    return this.database.transaction((tx) => this.readPage(tx, tenant, call.request), { tenant });
  }

  private async readPage(on: Queryable, organizationId: string, request: ListEventsRequest): Promise<EventFeedPage> {
    const { limit, types } = request;
    const after = await this.startOf(on, organizationId, request);
    // Read first: every position up to it is committed, and what commits later has a higher one.
    const last = await lastPosition(on, organizationId);
    // Events would be stored behind its reader, who would never see them.
    if (after > last && (await isAhead(on, organizationId, after))) throw notOfThisList();
    const end = Math.max(last, after);
    const range = { organizationId, after, upTo: end };
    const { upTo } = types === null ? range : await firstSlice(on, range);
    const limits = { events: limit, bytes: PAGE_BYTES_MAX };
    const rows = await readFeed(on, organizationId, { after, upTo, types }, limits);
    const { shown, isCut } = fitting(rows);
    const isWhole = !isCut && rows.length < limit;
    const lastShown = shown.at(-1)?.position ?? after;
    return {
      bodies: shown.map(({ body }) => body),
      cursors: shown.map(({ position }) => feedCursor(position)),
      nextCursor: feedCursor(isWhole ? upTo : lastShown),
    };
  }

  private async startOf(on: Queryable, organizationId: string, { cursor, from }: ListEventsRequest): Promise<number> {
    if (cursor === null) return from === null ? 0 : this.beginnings.positionBefore(on, organizationId, new Date(from));
    const position = feedPosition(cursor);
    if (position !== null) return position;
    throw notOfThisList();
  }
}

function notOfThisList(): AppError {
  return new AppError(serviceErrors.VALIDATION_FAILED, '`cursor` must be a `nextCursor` of this list');
}

/** As many as fit, at least one; what was not read is behind one that does not fit. */
function fitting(rows: readonly FeedRow[]): { readonly shown: readonly FeedRow[]; readonly isCut: boolean } {
  let bytes = 0;
  const end = rows.findIndex(({ body }) => (bytes += Buffer.byteLength(JSON.stringify(body))) > PAGE_BYTES_MAX);
  return { shown: end === -1 ? rows : rows.slice(0, Math.max(end, 1)), isCut: end !== -1 };
}
