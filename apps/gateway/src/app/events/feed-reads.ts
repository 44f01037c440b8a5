import { Injectable } from '@nestjs/common';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import { listEventsRpc, type EventFeedPage } from '@switchboard/contracts/webhooks/rpc';
import { RpcClient } from '@switchboard/nats';

/** Events of one read; a page is kept until its slowest reader has it. */
const PAGE_EVENTS = 100;

/** Reads the feed of events, once for all streams of an organization that are at the same place. */
@Injectable()
export class FeedReads {
  private readonly underWay = new Map<string, Promise<EventFeedPage>>();

  constructor(private readonly rpc: RpcClient) {}

  /** What comes after a cursor. @throws AppError VALIDATION_FAILED for a cursor that is not the feed's; RpcUnanswered */
  after(principal: Principal, cursor: string): Promise<EventFeedPage> {
    const place = `${principal.organizationId} ${cursor}`;
    const known = this.underWay.get(place);
    if (known) return known;
    const request = { limit: PAGE_EVENTS, cursor, types: null, from: null };
    const page = this.rpc.call(listEventsRpc, principal, request).finally(() => {
      if (this.underWay.get(place) === page) this.underWay.delete(place);
    });
    this.underWay.set(place, page);
    return page;
  }

  /**
   * The feed has grown: what is under way may have been read before, and no stream joins it any more.
   *
   * @param organizationIds none: of any organization
   */
  joinNone(organizationIds: ReadonlySet<string>): void {
    for (const place of this.underWay.keys()) {
      const [organizationId = ''] = place.split(' ');
      if (organizationIds.size === 0 || organizationIds.has(organizationId)) this.underWay.delete(place);
    }
  }

  /** The cursor after which everything comes that is stored from now on. @throws RpcUnanswered */
  async end(principal: Principal): Promise<string> {
    const request = { limit: 1, cursor: null, types: null, from: new Date().toISOString() };
    const { bodies, cursors = [], nextCursor } = await this.rpc.call(listEventsRpc, principal, request);
    // One that was stored meanwhile is skipped: whoever opens a stream reads the present state after it.
    return bodies.length === 0 ? nextCursor : (cursors[0] ?? nextCursor);
  }
}
