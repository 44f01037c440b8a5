import type { CallbackItem, UpstreamStatusItem } from '@switchboard/contracts/gateway/events';
import { isCuid } from '@switchboard/contracts/grammar/cuid';
import { statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import type { Channel } from '../channel/channel.entity.js';
import { recordProgress, type ProgressReport } from '../message/record-progress.js';
import { factOf } from './status-fact.policy.js';

/** A status callback with the event that brought it. */
export interface StatusCallback {
  readonly eventId: string;
  /** When it happened, by the upstream. */
  readonly at: Date;
  readonly traceparent: string | null;
  readonly channel: Channel;
  readonly callback: CallbackItem<UpstreamStatusItem>;
}

const findSql = statement<{ channelId: string; upstreamMessageId: string; messageId: string }>(
  'messaging.upstream-message.find',
  `SELECT u.channel_id AS "channelId", u.upstream_message_id AS "upstreamMessageId", u.message_id AS "messageId"
   FROM unnest($1::text[], $2::text[], $3::text[]) AS given(organization_id, channel_id, upstream_message_id)
   JOIN upstream_message u ON u.channel_id = given.channel_id AND u.upstream_message_id = given.upstream_message_id
     AND u.organization_id = given.organization_id`,
);

/**
 * Applies status callbacks of our messages. Our reference finds a message even before our own record of the
 * send; without one the upstream's id must be known.
 *
 * @returns ids of events whose message is not known yet: they wait
 */
export async function takeStatuses(tx: Transaction, statuses: readonly StatusCallback[]): Promise<Set<string>> {
  const facts = statuses.flatMap((status) => {
    const fact = factOf(status.callback.item, status.at);
    return fact ? [{ status, fact }] : [];
  });
  const known = await findByUpstreamId(
    tx,
    facts.map(({ status }) => status),
  );
  const reports = new Map<string, ProgressReport>();
  const waiting = new Set<string>();
  for (const { status, fact } of facts) {
    const { eventId, traceparent, channel, callback } = status;
    const reference = callback.item.biz_opaque_callback_data;
    const messageId = isCuid(reference) ? reference : known.get(`${channel.id} ${callback.item.id}`);
    const { organizationId } = channel;
    if (messageId === undefined) waiting.add(eventId);
    else reports.set(eventId, { organizationId, messageId, fact, upstreamMessageId: callback.item.id, traceparent });
  }
  const existing = await recordProgress(tx, [...reports.values()]);
  for (const [eventId, report] of reports) if (!existing.has(report.messageId)) waiting.add(eventId);
  return waiting;
}

async function findByUpstreamId(
  tx: Transaction,
  statuses: readonly StatusCallback[],
): Promise<ReadonlyMap<string, string>> {
  const unreferenced = statuses.filter(({ callback }) => !isCuid(callback.item.biz_opaque_callback_data));
  if (unreferenced.length === 0) return new Map();
  const rows = await tx.query(
    findSql,
    unnestColumns(unreferenced, [
      ({ channel }) => channel.organizationId,
      ({ channel }) => channel.id,
      ({ callback }) => callback.item.id,
    ]),
  );
  return new Map(rows.map((row) => [`${row.channelId} ${row.upstreamMessageId}`, row.messageId]));
}
