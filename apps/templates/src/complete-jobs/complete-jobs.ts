import { jobFinished } from '@switchboard/contracts/templates/job-events';
import { appendEvents } from '@switchboard/outbox';
import { statement, type Database, type Queryable } from '@switchboard/postgres';
import { stopFeeds, type JobKeyOf } from '../job/job-flow.js';
import { jobCounts, jobFacts } from '../job/job-view.js';
import { findJob } from '../job/job.repository.js';

/** A job that another transaction changes is looked at again later. */
const lockSql = statement<{ id: string }>(
  'templates.job.lock-active',
  `SELECT id FROM job WHERE organization_id = $1 AND id = $2 AND state = 'ACTIVE' FOR UPDATE SKIP LOCKED`,
);
const completeSql = statement(
  'templates.job.complete',
  `UPDATE job SET state = 'COMPLETED', is_paused = false, holds = '{}', finished_at = coalesce($3, now())
   WHERE organization_id = $1 AND id = $2`,
);
/**
 * Active jobs of which none is queued, by the index of active ones; their last outcome may have been seen by none. Of those that are being
 * fed, that is looked up once all were handed over: the feed passes by what needs nothing. One that is paused or held has no feed that
 * would: it shows COMPLETED, so that no caller can resume it, and its lane would hold every later job of a blocked channel.
 * Of a job that is scheduled for later nothing was handed over: its feed is not due before, and is not read.
 */
const handedOverSql = statement<JobKeyOf>(
  'templates.job.handed-over',
  `SELECT j.organization_id AS "organizationId", j.id AS "jobId" FROM job j
   JOIN job_feed f ON f.organization_id = j.organization_id AND f.job_id = j.id
   WHERE j.state = 'ACTIVE' AND (j.scheduled_at IS NULL OR j.scheduled_at <= now())
     AND (f.fed_to = j.total OR f.due_at IS NULL) AND 0 = (
     SELECT sum(queued) FROM job_count c WHERE c.organization_id = j.organization_id AND c.job_id = j.id)
   LIMIT $1`,
);

/**
 * Completes the job when none of its recipients is queued, with its event.
 *
 * To be called after the commit of an outcome: of two transactions that settle the last recipients at once neither sees the
 * other's, but the later of the two calls sees both.
 */
export async function completeJob(
  database: Pick<Database, 'transaction'>,
  { organizationId, jobId }: JobKeyOf,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const [locked] = await tx.query(lockSql, [organizationId, jobId]);
    const job = locked ? await findJob(tx, organizationId, jobId) : null;
    if (job?.queued !== 0) return false;
    // Recipients that need nothing, such as duplicates, may lie ahead of it still.
    await stopFeeds(tx, [{ organizationId, jobId }]);
    tx.atCommit(completeSql, [organizationId, jobId, job.settledAt]);
    const data = { ...jobFacts(job), status: 'COMPLETED' as const, counts: jobCounts(job) };
    const event = { event: jobFinished, organizationId, aggregateId: jobId, sequence: null };
    appendEvents(tx, [{ ...event, occurredAt: job.settledAt ?? job.now, data }]);
    return true;
  });
}

/** Jobs that are complete although no replica has recorded it: one died after the last outcome. */
export async function completeButActive(through: Queryable, limit: number): Promise<JobKeyOf[]> {
  return through.query(handedOverSql, [limit]);
}
