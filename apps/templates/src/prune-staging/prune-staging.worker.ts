import { Inject, Injectable } from '@nestjs/common';
import { Database, statement } from '@switchboard/postgres';
import { LOG, PollingWorker, type Log } from '@switchboard/platform';

/** A batch that is not committed is given up so long after it began and after its last chunk. */
const AGE_SECONDS = 300;
/** Recipients of one statement. */
const SLICE_MAX = 5_000;
const IDLE_MS = 30_000;

/**
 * The oldest batch that was given up, or that has been left alone. Marked in the same statement, so that no later chunk or
 * commit takes it; one that a chunk or a commit holds is left to a later round.
 */
const giveUpSql = statement<{ organizationId: string; jobId: string }>(
  'templates.staging.give-up',
  `WITH old AS (
     SELECT organization_id, job_id FROM staged_job s
     WHERE s.is_abandoned OR (s.created_at < now() - make_interval(secs => $1) AND NOT EXISTS (
       SELECT FROM staged_chunk c WHERE c.organization_id = s.organization_id AND c.job_id = s.job_id
         AND c.staged_at > now() - make_interval(secs => $1)))
     ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED
   )
   UPDATE staged_job s SET is_abandoned = true FROM old
   WHERE s.organization_id = old.organization_id AND s.job_id = old.job_id
   RETURNING s.organization_id AS "organizationId", s.job_id AS "jobId"`,
);
/** By the primary key, from the first recipient on. A job that is there is never touched. */
const removeSliceSql = statement<{ index: number }>(
  'templates.staging.remove-slice',
  `WITH slice AS (
     SELECT index FROM recipient WHERE organization_id = $1 AND job_id = $2
       AND NOT EXISTS (SELECT FROM job WHERE organization_id = $1 AND id = $2)
     ORDER BY index LIMIT $3
   )
   DELETE FROM recipient r USING slice
   WHERE r.organization_id = $1 AND r.job_id = $2 AND r.index = slice.index RETURNING r.index`,
);
/**
 * Not while a recipient is left: where two replicas remove a batch, one finds nothing to remove of the slice that it has waited for, and
 * nothing else leads to what the other has not removed yet, should that end there.
 */
const removeSql = statement(
  'templates.staging.remove-given-up',
  `WITH gone AS (
     DELETE FROM staged_job WHERE organization_id = $1 AND job_id = $2 AND is_abandoned
       AND (EXISTS (SELECT FROM job WHERE organization_id = $1 AND id = $2)
         OR NOT EXISTS (SELECT FROM recipient WHERE organization_id = $1 AND job_id = $2))
     RETURNING 1
   )
   DELETE FROM staged_chunk USING gone WHERE organization_id = $1 AND job_id = $2`,
);

/** Removes the recipients of batches that were refused, given up, or left behind by a crash. */
@Injectable()
export class PruneStagingWorker extends PollingWorker {
  constructor(
    @Inject(Database) private readonly database: Pick<Database, 'query'>,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, failureEvent: 'staging.prune-failed' });
  }

  /** One batch. @returns whether there was one */
  async round(): Promise<boolean> {
    const [old] = await this.database.query(giveUpSql, [AGE_SECONDS]);
    if (!old) return false;
    const { organizationId, jobId } = old;
    let removed = 0;
    for (;;) {
      const slice = await this.database.query(removeSliceSql, [organizationId, jobId, SLICE_MAX]);
      removed += slice.length;
      if (slice.length < SLICE_MAX) break;
    }
    await this.database.query(removeSql, [organizationId, jobId]);
    this.log.info('staging.pruned', { organizationId, jobId, recipients: removed });
    return true;
  }
}
