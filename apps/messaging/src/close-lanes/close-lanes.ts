import { statement, type Database } from '@switchboard/postgres';
import type { LaneKey } from '../bulk-lane/lane.entity.js';

const ROUND_MAX = 100;
/** Rows of a table in one transaction. */
const SLICE_MAX = 2_000;
/** For longer than any attempt may be under way, so that none becomes one to be repeated. */
const QUIET_S = 3_600;
/** Longer than a job hands the same recipient over again. */
const KEPT_DAYS = 7;

const closeSql = statement<LaneKey>(
  'messaging.lane.close',
  `WITH done AS (
     SELECT l.organization_id, l.job_id FROM bulk_lane l
     WHERE l.is_open AND l.finished_at < now() - make_interval(secs => ${QUIET_S})
       AND NOT EXISTS (SELECT FROM dispatch d WHERE d.state = 'PACED' AND d.organization_id = l.organization_id
         AND d.channel_id = l.channel_id AND d.job_id = l.job_id)
     ORDER BY l.finished_at LIMIT $1 FOR NO KEY UPDATE OF l SKIP LOCKED
   )
   UPDATE bulk_lane l SET is_open = false FROM done
   WHERE l.organization_id = done.organization_id AND l.job_id = done.job_id
   RETURNING l.organization_id AS "organizationId", l.job_id AS "jobId"`,
);
const oldestSql = statement<LaneKey>(
  'messaging.lane.oldest-closed',
  `SELECT organization_id AS "organizationId", job_id AS "jobId" FROM bulk_lane
   WHERE NOT is_open AND finished_at < now() - make_interval(days => ${KEPT_DAYS})
   ORDER BY finished_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
);
/** The reservation first: what was given back once must not be given back again when its row is gone. */
const endReservationSql = statement(
  'messaging.reservation.end',
  `UPDATE quota_reservation SET closed_at = now() WHERE organization_id = $1 AND job_id = $2 AND closed_at IS NULL`,
);
const slice = (table: string, key: string) =>
  statement<{ count: number }>(
    `messaging.lane.prune-${table.replaceAll('_', '-')}`,
    `WITH old AS (SELECT ${key} FROM ${table} WHERE organization_id = $1 AND job_id = $2 LIMIT $3), pruned AS (
       DELETE FROM ${table} t USING old WHERE t.organization_id = $1 AND t.job_id = $2 AND (${key
         .split(', ')
         .map((column) => `t.${column}`)
         .join(', ')}) = (${key
         .split(', ')
         .map((column) => `old.${column}`)
         .join(', ')}) RETURNING 1)
     SELECT count(*)::int AS count FROM pruned`,
  );
const slices = [
  slice('bulk_item', 'recipient_index'),
  slice('attempt_begun', 'begun_at, message_id'),
  slice('quota_released', 'recipient_index'),
];
const deleteSql = statement(
  'messaging.lane.delete',
  'DELETE FROM bulk_lane WHERE organization_id = $1 AND job_id = $2',
);

/** Closes lanes of finished jobs, once none of their messages is to be sent again. @returns whether there may be more */
export async function closeFinished(database: Database): Promise<boolean> {
  return (await database.query(closeSql, [ROUND_MAX])).length === ROUND_MAX;
}

/** Deletes a slice of what a lane left that was closed long ago, and with the last slice the lane. @returns whether there was one */
export async function pruneClosed(database: Database): Promise<boolean> {
  return database.transaction(async (tx) => {
    const [lane] = await tx.query(oldestSql, []);
    if (!lane) return false;
    const key = [lane.organizationId, lane.jobId];
    await tx.query(endReservationSql, key);
    const counts = await Promise.all(slices.map((one) => tx.query(one, [...key, SLICE_MAX])));
    const isEmpty = counts.every(([row]) => (row?.count ?? 0) < SLICE_MAX);
    if (isEmpty) tx.atCommit(deleteSql, key);
    return true;
  });
}
