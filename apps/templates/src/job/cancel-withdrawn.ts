import type { Database } from '@switchboard/postgres';
import { changeJob } from './change-job.js';
import { lockJobs, type JobKeyOf } from './job-flow.js';
import { actionEffect } from './job-status.policy.js';
import { findJob } from './job.repository.js';

/**
 * Cancels a job whose lane messaging has withdrawn: it was cancelled before, and this database is of a backup that does not know it. As a
 * rule the job knows, and nothing changes.
 *
 * @returns whether it was cancelled now
 */
export async function cancelWithdrawn(
  database: Pick<Database, 'transaction'>,
  { organizationId, jobId }: JobKeyOf,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    await lockJobs(tx, [{ organizationId, jobId }]);
    const job = await findJob(tx, organizationId, jobId);
    if (!job || actionEffect(job, 'cancel', job.now) !== 'change') return false;
    await changeJob(tx, organizationId, job, 'cancel');
    return true;
  });
}
