import { statement, unnestColumns, type Queryable, type Transaction } from '@switchboard/postgres';

/** Names a job. */
export interface JobKeyOf {
  readonly organizationId: string;
  readonly jobId: string;
}

/** A cause for which a job holds itself. */
export interface JobHold extends JobKeyOf {
  readonly reason: string;
}

/** In the order of the primary key, so that two transactions lock in one order: a job always before its feed. */
const lockSql = statement<{ id: string }>(
  'templates.job.lock',
  `SELECT j.id FROM unnest($1::text[], $2::text[]) AS given (organization_id, job_id)
   JOIN job j ON j.organization_id = given.organization_id AND j.id = given.job_id
   ORDER BY j.organization_id, j.id FOR UPDATE OF j`,
);
const addHoldsSql = statement<JobKeyOf>(
  'templates.job.add-holds',
  `UPDATE job j SET holds = j.holds || given.reason, held_at = now()
   FROM unnest($1::text[], $2::text[], $3::text[]) AS given (organization_id, job_id, reason)
   WHERE j.organization_id = given.organization_id AND j.id = given.job_id AND j.state = 'ACTIVE'
     AND NOT given.reason = ANY (j.holds)
   RETURNING j.organization_id AS "organizationId", j.id AS "jobId"`,
);
const removeHoldsSql = statement<JobKeyOf>(
  'templates.job.remove-holds',
  `UPDATE job j SET holds = array_remove(j.holds, given.reason)
   FROM unnest($1::text[], $2::text[], $3::text[]) AS given (organization_id, job_id, reason)
   WHERE j.organization_id = given.organization_id AND j.id = given.job_id AND j.state = 'ACTIVE'
     AND given.reason = ANY (j.holds)
   RETURNING j.organization_id AS "organizationId", j.id AS "jobId"`,
);
const stopSql = statement(
  'templates.job-feed.stop',
  `UPDATE job_feed f SET due_at = NULL
   FROM unnest($1::text[], $2::text[]) AS given (organization_id, job_id)
   WHERE f.organization_id = given.organization_id AND f.job_id = given.job_id AND f.due_at IS NOT NULL`,
);
/** The pace is measured anew: what passed while the job stood still is no part of it. */
const startSql = statement(
  'templates.job-feed.start',
  `UPDATE job_feed f SET due_at = greatest(now(), j.scheduled_at), failures = 0, marked_at = NULL, marked_begun = NULL,
     begun_per_second = NULL
   FROM unnest($1::text[], $2::text[]) AS given (organization_id, job_id)
   JOIN job j ON j.organization_id = given.organization_id AND j.id = given.job_id
   WHERE f.organization_id = j.organization_id AND f.job_id = j.id AND f.due_at IS NULL AND f.fed_to < j.total
     AND j.state = 'ACTIVE' AND NOT j.is_paused AND j.holds = '{}'`,
);
const hastenSql = statement(
  'templates.job-feed.hasten',
  `WITH waiting AS (
     SELECT f.organization_id, f.job_id FROM unnest($1::text[], $2::text[]) AS given (organization_id, job_id)
     JOIN job_feed f ON f.organization_id = given.organization_id AND f.job_id = given.job_id
     WHERE f.due_at > now() AND f.lease IS NULL FOR UPDATE OF f SKIP LOCKED
   )
   UPDATE job_feed f SET due_at = greatest(now(), j.scheduled_at) FROM waiting w
   JOIN job j ON j.organization_id = w.organization_id AND j.id = w.job_id
   WHERE f.organization_id = w.organization_id AND f.job_id = w.job_id`,
);

/** Locks jobs for a change of their state. */
export async function lockJobs(tx: Transaction, jobs: readonly JobKeyOf[]): Promise<void> {
  await tx.query(lockSql, unnestColumns(jobs, ['organizationId', 'jobId']));
}

/** Stops handing recipients of the jobs over. Their rows are locked by the transaction. */
export async function stopFeeds(tx: Queryable, jobs: readonly JobKeyOf[]): Promise<void> {
  if (jobs.length > 0) await tx.query(stopSql, unnestColumns(jobs, ['organizationId', 'jobId']));
}

/** Goes on with those of the jobs that nothing stops any more. Their rows are locked by the transaction. */
export async function startFeeds(tx: Queryable, jobs: readonly JobKeyOf[]): Promise<void> {
  if (jobs.length > 0) await tx.query(startSql, unnestColumns(jobs, ['organizationId', 'jobId']));
}

/** Has the feeds of jobs looked at now: what lay in their lanes was skipped. One that is being looked at is left alone. */
export async function hastenFeeds(through: Queryable, jobs: readonly JobKeyOf[]): Promise<void> {
  if (jobs.length > 0) await through.query(hastenSql, unnestColumns(jobs, ['organizationId', 'jobId']));
}

/** Holds jobs; a reason that a job has already changes nothing. @returns the jobs that changed */
export async function holdJobs(tx: Transaction, holds: readonly JobHold[]): Promise<JobKeyOf[]> {
  if (holds.length === 0) return [];
  await lockJobs(tx, holds);
  const held = await tx.query(addHoldsSql, unnestColumns(holds, ['organizationId', 'jobId', 'reason']));
  await stopFeeds(tx, held);
  return held;
}

/** Ends holds; the jobs go on unless something else stops them. @returns the jobs that changed */
export async function releaseJobs(tx: Transaction, holds: readonly JobHold[]): Promise<JobKeyOf[]> {
  if (holds.length === 0) return [];
  await lockJobs(tx, holds);
  const released = await tx.query(removeHoldsSql, unnestColumns(holds, ['organizationId', 'jobId', 'reason']));
  await startFeeds(tx, released);
  return released;
}
