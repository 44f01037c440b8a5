import type { Log } from '@switchboard/platform';
import type { Database } from '@switchboard/postgres';
import { changeJob } from './change-job.js';
import { lockJobs, type JobKeyOf } from './job-flow.js';
import { actionEffect } from './job-status.policy.js';
import { findJob } from './job.repository.js';

/**
 * Cancels a job whose lane messaging has withdrawn: it was cancelled before, and this database is of a backup that does not know it. As a
 * rule the job knows, and nothing changes. Its order for the lane comes behind those under way.
 */
export async function cancelWithdrawn(
  database: Pick<Database, 'transaction'>,
  log: Log,
  { organizationId, jobId }: JobKeyOf,
): Promise<void> {
  const isCanceled = await database.transaction(async (tx) => {
    await lockJobs(tx, [{ organizationId, jobId }]);
    const job = await findJob(tx, organizationId, jobId);
    if (!job || actionEffect(job, 'cancel', job.now) !== 'change') return false;
    await changeJob(tx, organizationId, job, 'cancel');
    return true;
  });
  if (isCanceled) log.warn('job.cancelled-with-lane', { organizationId, jobId });
}
