import type { RecipientStatus } from '@switchboard/contracts/templates/job-http';
import { statement, unnestColumns, type Transaction } from '@switchboard/postgres';
import { countChanges, type StatusChange } from '../job/job-count.js';
import { higherOutcome, isCorrected, isRise, recipientStatus, type Outcome } from './recipient-status.policy.js';

/** What became of one recipient. */
export interface RecipientOutcome extends Outcome {
  readonly organizationId: string;
  readonly jobId: string;
  readonly index: number;
  /** Of the message, which may have another id than the one it was handed over with; null: the event names none. */
  readonly messageId: string | null;
}

interface LockedRecipient {
  readonly organizationId: string;
  readonly jobId: string;
  readonly index: number;
  readonly status: string;
}

/**
 * In the order of the primary key, so that two batches lock in one order. Recipients of a job that is not there have no outcome:
 * there are no counts for it. Those that a cancellation skipped are SKIPPED, whatever their rows say.
 */
const lockSql = statement<LockedRecipient>(
  'templates.recipient.lock',
  `SELECT r.organization_id AS "organizationId", r.job_id AS "jobId", r.index,
     CASE WHEN r.status = 'QUEUED' AND r.index >= j.canceled_from THEN 'SKIPPED' ELSE r.status END AS status
   FROM unnest($1::text[], $2::text[], $3::int[]) AS given (organization_id, job_id, index)
   JOIN recipient r ON r.organization_id = given.organization_id AND r.job_id = given.job_id AND r.index = given.index
   JOIN job j ON j.organization_id = r.organization_id AND j.id = r.job_id
   ORDER BY r.organization_id, r.job_id, r.index FOR UPDATE OF r`,
);
const updateSql = statement(
  'templates.recipient.update',
  `UPDATE recipient r SET status = given.status, reason = given.reason, message_id = coalesce(given.message_id, r.message_id)
   FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[])
     AS given (organization_id, job_id, index, status, reason, message_id)
   WHERE r.organization_id = given.organization_id AND r.job_id = given.job_id AND r.index = given.index`,
);

/**
 * Applies outcomes to recipients and to the counts of their jobs, in one transaction, so that the counts are the recipients
 * at every moment. Twice, late or in another order they end the same.
 *
 * @returns the changes that were made
 */
export async function applyOutcomes(tx: Transaction, outcomes: readonly RecipientOutcome[]): Promise<StatusChange[]> {
  const wanted = new Map<string, RecipientOutcome>();
  for (const outcome of outcomes) {
    const key = keyOf(outcome);
    const known = wanted.get(key);
    wanted.set(key, known ? { ...known, ...higherOutcome(known, outcome) } : outcome);
  }
  if (wanted.size === 0) return [];
  const locked = await tx.query(lockSql, unnestColumns([...wanted.values()], ['organizationId', 'jobId', 'index']));
  const changed = locked.flatMap((row) => {
    const outcome = wanted.get(keyOf(row));
    const from: RecipientStatus = recipientStatus(row.status);
    if (!outcome || !(isRise(from, outcome) || isCorrected(from, outcome))) return [];
    return [{ ...outcome, from }];
  });
  if (changed.length === 0) return [];
  tx.atCommit(updateSql, unnestColumns(changed, ['organizationId', 'jobId', 'index', 'status', 'reason', 'messageId']));
  const rises = changed.filter(({ from, status }) => from !== status);
  const changes = rises.map(({ organizationId, jobId, from, status }) => ({ organizationId, jobId, from, to: status }));
  countChanges(tx, changes);
  return changes;
}

function keyOf({ organizationId, jobId, index }: Pick<LockedRecipient, 'organizationId' | 'jobId' | 'index'>): string {
  return `${organizationId} ${jobId} ${index}`;
}
