import type { LaneHeldReason } from '@switchboard/contracts/messaging/bulk-events';
import { statement, unnestColumns, type Queryable } from '@switchboard/postgres';
import type { HoldTarget } from '../bulk-lane/lane.repository.js';
import { messageIdsOf, type StatusReport } from '../callback/take-statuses.js';
import { isAssumed } from '../message/message-progress.policy.js';

/** A status that reports why the bulk sends of its channel have to wait. */
export interface HoldingStatus extends StatusReport {
  readonly hold: LaneHeldReason;
}

const failedSql = statement<{ messageId: string; errorCode: string }>(
  'messaging.message.failed-before',
  `SELECT m.id AS "messageId", m.error_code AS "errorCode" FROM unnest($1::text[], $2::text[]) AS given(organization_id, id)
   JOIN message m ON m.organization_id = given.organization_id AND m.id = given.id AND m.failed_at IS NOT NULL`,
);

/**
 * What statuses hold: every open lane of their channel. The failure of a message is reported once and again: what it held the first time
 * may have been resumed since.
 */
export async function holdsOfStatuses(through: Queryable, statuses: readonly HoldingStatus[]): Promise<HoldTarget[]> {
  if (statuses.length === 0) return [];
  const messageIds = await messageIdsOf(through, statuses);
  const known = [...messageIds].map(([{ organizationId }, messageId]) => ({ organizationId, messageId }));
  const failed = await through.query(failedSql, unnestColumns(known, ['organizationId', 'messageId']));
  const reported = new Set(failed.flatMap(({ messageId, errorCode }) => (isAssumed(errorCode) ? [] : messageId)));
  const news = statuses.filter((status) => !reported.has(messageIds.get(status) ?? ''));
  return news.map(({ organizationId, channelId, hold: reason }) => ({
    organizationId,
    channelId,
    jobId: null,
    reason,
  }));
}
