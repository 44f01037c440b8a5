import type { JobCounts, RecipientStatus } from '@switchboard/contracts/templates/job-http';
import { statement, unnestColumns, type Transaction } from '@switchboard/postgres';

/** A recipient that changed its status. */
export interface StatusChange {
  readonly organizationId: string;
  readonly jobId: string;
  readonly from: RecipientStatus;
  readonly to: RecipientStatus;
}

/** Changes of the counts of one job, which cancel each other out. */
export interface CountChange extends JobCounts {
  readonly organizationId: string;
  readonly jobId: string;
}

/** Shards of a job: replicas and consumers at work on one job at once. */
const SHARDS = 16;
/** This process's own: its batches seldom meet those of another in one row. */
const SHARD = Math.floor(Math.random() * SHARDS);

/** The count that a recipient of a status belongs to, and its column. */
export const COUNTS: Readonly<Record<RecipientStatus, keyof JobCounts>> = {
  QUEUED: 'queued',
  UNCONFIRMED: 'unconfirmed',
  SENT: 'sent',
  DELIVERED: 'delivered',
  READ: 'read',
  FAILED: 'failed',
  SKIPPED: 'skipped',
};

/** Sorted by key, so that two transactions of one shard lock in one order. */
const addSql = statement(
  'templates.job-count.add',
  `INSERT INTO job_count AS c (organization_id, job_id, shard, queued, unconfirmed, sent, delivered, read, failed, skipped,
     settled_at)
   SELECT organization_id, job_id, $1::smallint, queued, unconfirmed, sent, delivered, read, failed, skipped,
     CASE WHEN queued < 0 THEN now() END
   FROM unnest($2::text[], $3::text[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[], $9::int[], $10::int[])
     AS given (organization_id, job_id, queued, unconfirmed, sent, delivered, read, failed, skipped)
   ORDER BY organization_id COLLATE "C", job_id COLLATE "C"
   ON CONFLICT (organization_id, job_id, shard) DO UPDATE SET
     queued = c.queued + excluded.queued, unconfirmed = c.unconfirmed + excluded.unconfirmed,
     sent = c.sent + excluded.sent, delivered = c.delivered + excluded.delivered, read = c.read + excluded.read,
     failed = c.failed + excluded.failed, skipped = c.skipped + excluded.skipped,
     settled_at = coalesce(excluded.settled_at, c.settled_at)`,
);

/** Adds changes of status to the counts of their jobs. Travels with COMMIT, so that the rows are locked for no longer. */
export function countChanges(tx: Transaction, changes: readonly StatusChange[]): void {
  addCounts(tx, sumChanges(changes));
}

/** Adds to the counts of jobs; see `countChanges`. */
export function addCounts(tx: Transaction, sums: readonly CountChange[]): void {
  if (sums.length === 0) return;
  const values = unnestColumns(sums, [
    'organizationId',
    'jobId',
    'queued',
    'unconfirmed',
    'sent',
    'delivered',
    'read',
    'failed',
    'skipped',
  ]);
  tx.atCommit(addSql, [SHARD, ...values]);
}

/** One sum for each job; the changes of each add up to 0. */
function sumChanges(changes: readonly StatusChange[]): CountChange[] {
  const sums = new Map<string, { -readonly [Key in keyof CountChange]: CountChange[Key] }>();
  for (const { organizationId, jobId, from, to } of changes) {
    const key = `${organizationId} ${jobId}`;
    const zeros = { queued: 0, unconfirmed: 0, sent: 0, delivered: 0, read: 0, failed: 0, skipped: 0 };
    const sum = sums.get(key) ?? { organizationId, jobId, ...zeros };
    sums.set(key, sum);
    sum[COUNTS[from]]--;
    sum[COUNTS[to]]++;
  }
  return [...sums.values()];
}
