import { statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import type { LaneKey } from './lane.entity.js';

/** An attempt of a bulk send, as it was claimed. */
export interface BegunAttempt extends LaneKey {
  readonly messageId: string;
  readonly channelId: string;
  /** Epoch milliseconds by the database's clock, in whole microseconds. */
  readonly slotMs: number;
}

const insertSql = statement(
  'messaging.attempt-begun.insert',
  `INSERT INTO attempt_begun (organization_id, job_id, begun_at, message_id, channel_id)
   SELECT a.organization_id, a.job_id, to_timestamp(a.slot_ms / 1000), a.message_id, a.channel_id
   FROM unnest($1::text[], $2::text[], $3::float8[], $4::text[], $5::text[])
     AS a(organization_id, job_id, slot_ms, message_id, channel_id)`,
);
const deleteSql = statement(
  'messaging.attempt-begun.delete',
  `DELETE FROM attempt_begun b USING unnest($1::text[], $2::text[], $3::float8[], $4::text[])
     AS a(organization_id, job_id, slot_ms, message_id)
   WHERE b.organization_id = a.organization_id AND b.job_id = a.job_id AND b.begun_at = to_timestamp(a.slot_ms / 1000)
     AND b.message_id = a.message_id`,
);

/** Records attempts before they begin: what a crash leaves counts as begun. Travels with COMMIT. */
export function insertBegun(tx: Transaction, attempts: readonly BegunAttempt[]): void {
  if (attempts.length === 0) return;
  tx.atCommit(insertSql, unnestColumns(attempts, ['organizationId', 'jobId', 'slotMs', 'messageId', 'channelId']));
}

/** Takes attempts out that provably never began. Their credit is not used again. Travels with COMMIT. */
export function forgetNotBegun(tx: Transaction, attempts: readonly Omit<BegunAttempt, 'channelId'>[]): void {
  if (attempts.length === 0) return;
  tx.atCommit(deleteSql, unnestColumns(attempts, ['organizationId', 'jobId', 'slotMs', 'messageId']));
}
