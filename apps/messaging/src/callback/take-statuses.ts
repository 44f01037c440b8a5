import { statement, type Queryable, type Transaction, unnestColumns } from '@switchboard/postgres';
import type { ProgressFact } from '../message/message-progress.policy.js';
import { recordProgress, type ProgressReport } from '../message/record-progress.js';

/** What a status says of a message. */
export interface StatusReport {
  readonly eventId: string;
  readonly organizationId: string;
  readonly channelId: string;
  readonly upstreamMessageId: string;
  /** Our reference; null where the status has none: the upstream's id must be known then. */
  readonly messageId: string | null;
  readonly fact: ProgressFact;
  readonly traceparent: string | null;
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
 * @returns those whose message is not known yet
 */
export async function takeStatuses<Status extends StatusReport>(
  tx: Transaction,
  statuses: readonly Status[],
): Promise<Status[]> {
  const reports = new Map<Status, ProgressReport>();
  for (const [status, messageId] of await messageIdsOf(tx, statuses)) {
    const { organizationId, upstreamMessageId, fact, traceparent } = status;
    reports.set(status, { organizationId, messageId, fact, upstreamMessageId, traceparent });
  }
  const existing = await recordProgress(tx, [...reports.values()]);
  return statuses.filter((status) => !existing.has(reports.get(status)?.messageId ?? ''));
}

/** The messages that statuses speak of, in the order of these; what has no reference of ours and no known id is left out. */
export async function messageIdsOf<Status extends StatusReport>(
  through: Queryable,
  statuses: readonly Status[],
): Promise<ReadonlyMap<Status, string>> {
  const known = await findByUpstreamId(through, statuses);
  return new Map(
    statuses.flatMap((status): [Status, string][] => {
      const messageId = status.messageId ?? known.get(`${status.channelId} ${status.upstreamMessageId}`);
      return messageId === undefined ? [] : [[status, messageId]];
    }),
  );
}

async function findByUpstreamId(
  through: Queryable,
  statuses: readonly StatusReport[],
): Promise<ReadonlyMap<string, string>> {
  const unreferenced = statuses.filter(({ messageId }) => messageId === null);
  if (unreferenced.length === 0) return new Map();
  const rows = await through.query(
    findSql,
    unnestColumns(unreferenced, ['organizationId', 'channelId', 'upstreamMessageId']),
  );
  return new Map(rows.map((row) => [`${row.channelId} ${row.upstreamMessageId}`, row.messageId]));
}
