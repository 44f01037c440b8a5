import { statement, type Queryable } from '@switchboard/postgres';
import type { JobKeyOf } from '../job/job-flow.js';
import type { LaneClient } from '../lane/lane.client.js';

/** A job whose quota is to be given back from an index on. */
export interface Release extends JobKeyOf {
  readonly releaseFrom: number;
}

/** As many as `messaging.release-quota` takes. */
const SLICE_MAX = 5_000;

/** Duplicates were never reserved. */
const sliceSql = statement<{ index: number }>(
  'templates.recipient.release-slice',
  `SELECT index FROM recipient WHERE organization_id = $1 AND job_id = $2 AND index >= $3
     AND reason IS DISTINCT FROM 'DUPLICATE'
   ORDER BY index LIMIT $4`,
);
const movedSql = statement(
  'templates.job.move-release',
  `UPDATE job SET release_from = $3 WHERE organization_id = $1 AND id = $2 AND release_from IS NOT NULL`,
);

/** Gives back the quota of a job's next recipients, once for each however often. @returns whether there may be more */
export async function releaseSlice(database: Queryable, lanes: LaneClient, release: Release): Promise<boolean> {
  const { organizationId, jobId, releaseFrom } = release;
  const slice = await database.query(sliceSql, [organizationId, jobId, releaseFrom, SLICE_MAX]);
  const indexes = slice.map(({ index }) => index);
  if (indexes.length > 0) await lanes.release(organizationId, jobId, indexes);
  const last = indexes.at(-1);
  const isLast = last === undefined || indexes.length < SLICE_MAX;
  await database.query(movedSql, [organizationId, jobId, isLast ? null : last + 1]);
  return !isLast;
}
