import type { Restore } from '@switchboard/outbox';
import type { Log } from '@switchboard/platform';
import { statement, unnestColumns, type Database } from '@switchboard/postgres';
import { stopFeeds, type JobKeyOf } from '../job/job-flow.js';
import { appendLaneOrders } from '../lane/lane-order.repository.js';

const CHUNK = 200;

/** Jobs that were going on at the backup: one that is scheduled for later has handed nothing over since. */
const goingOnSql = statement<JobKeyOf>(
  'templates.job.going-on',
  `SELECT organization_id AS "organizationId", id AS "jobId" FROM job
   WHERE state = 'ACTIVE' AND NOT is_paused AND id < cuid_floor($1::timestamptz)
     AND (scheduled_at IS NULL OR scheduled_at <= now())
   ORDER BY organization_id, id LIMIT $2 FOR UPDATE`,
);
const pauseSql = statement(
  'templates.job.pause-all',
  `UPDATE job j SET is_paused = true FROM unnest($1::text[], $2::text[]) AS given (organization_id, job_id)
   WHERE j.organization_id = given.organization_id AND j.id = given.job_id`,
);

/**
 * Pauses the jobs that a backup would go on with: recipients that were waiting at the backup may have had their message
 * since, under an id that is gone. Whoever resumes a job decides that.
 */
export async function pauseRestored(database: Database, { writtenBefore }: Restore, log: Log): Promise<void> {
  let paused = 0;
  for (let isMore = true; isMore;) {
    const jobs = await database.transaction(async (tx) => {
      const goingOn = await tx.query(goingOnSql, [writtenBefore, CHUNK]);
      if (goingOn.length === 0) return goingOn;
      await tx.query(pauseSql, unnestColumns(goingOn, ['organizationId', 'jobId']));
      await stopFeeds(tx, goingOn);
      appendLaneOrders(
        tx,
        goingOn.map((job) => ({ ...job, action: 'PAUSE', reason: null })),
      );
      return goingOn;
    });
    paused += jobs.length;
    isMore = jobs.length === CHUNK;
  }
  log.warn('jobs.paused-after-restore', { jobs: paused });
}
