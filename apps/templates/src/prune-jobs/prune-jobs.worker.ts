import { PruneWorker } from '@switchboard/platform';
import { statement, type PruneStatement } from '@switchboard/postgres';
import type { FactoryProvider } from '@nestjs/common';

/** Jobs of one statement; their recipients are not among its rows. */
const SLICE_MAX = 100;
const IDLE_MS = 600_000;

/**
 * Jobs that ended so many days ago, the longest ago first, by `job_finished`. A job goes at once with its counts and keys; its
 * recipients are left to `PruneStagingWorker`, which takes them in slices as those of a batch that was given up. One whose quota
 * or lane is still to be settled stays.
 */
export const pruneJobsSql: PruneStatement = statement(
  'templates.job.prune',
  `WITH old AS (
     SELECT j.organization_id, j.id FROM job j
     WHERE j.state <> 'ACTIVE' AND j.finished_at < now() - make_interval(days => $2) AND j.release_from IS NULL
       AND NOT EXISTS (SELECT FROM lane_order o WHERE o.organization_id = j.organization_id AND o.job_id = j.id)
     ORDER BY j.finished_at LIMIT $1 FOR UPDATE SKIP LOCKED
   ), given_up AS (
     INSERT INTO staged_job (organization_id, job_id, has_place, is_abandoned)
     SELECT organization_id, id, false, true FROM old
     ON CONFLICT (organization_id, job_id) DO UPDATE SET is_abandoned = true
   ), feeds AS (
     DELETE FROM job_feed f USING old WHERE f.organization_id = old.organization_id AND f.job_id = old.id
   ), counts AS (
     DELETE FROM job_count c USING old WHERE c.organization_id = old.organization_id AND c.job_id = old.id
   ), keys AS (
     DELETE FROM job_key k USING old WHERE k.organization_id = old.organization_id AND k.job_id = old.id
   ), pruned AS (
     DELETE FROM job j USING old WHERE j.organization_id = old.organization_id AND j.id = old.id RETURNING 1
   )
   SELECT count(*)::int AS count FROM pruned`,
);

/** Removes jobs that ended long ago. @param days for which a job is kept after its end */
export function jobPruner(days: number): FactoryProvider<PruneWorker> {
  return PruneWorker.provide({
    rows: 'jobs',
    statement: pruneJobsSql,
    values: () => [days],
    sliceMax: SLICE_MAX,
    idleMs: IDLE_MS,
    needsAgreedClocks: true,
  });
}
