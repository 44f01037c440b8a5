import { Inject, Injectable } from '@nestjs/common';
import { LOG, PollingWorker, TenantByTenant, type Log } from '@switchboard/platform';
import { Database, statement } from '@switchboard/postgres';
import { LaneClient } from '../lane/lane.client.js';

/** Organizations of a round, with a slice of one job each. */
const ROUND_MAX = 8;
/** As many as `messaging.release-quota` takes. */
const SLICE_MAX = 5_000;
const IDLE_MS = 10_000;

/** A job whose quota is to be given back from an index on. */
interface Release {
  readonly organizationId: string;
  readonly jobId: string;
  readonly releaseFrom: number;
}

/** Two replicas at one job change nothing: quota is given back once for each recipient. */
const nextSql = statement<Release>(
  'templates.job.next-releases',
  `SELECT DISTINCT ON (organization_id) organization_id AS "organizationId", id AS "jobId", release_from AS "releaseFrom"
   FROM job WHERE release_from IS NOT NULL AND NOT organization_id = ANY ($2::text[])
   ORDER BY organization_id, id LIMIT $1`,
);
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

/** Gives back the quota of a cancelled job's recipients that were never handed over, slice by slice. */
@Injectable()
export class ReleaseQuotaWorker extends PollingWorker {
  private readonly tenants = new TenantByTenant((organizationId, error) =>
    this.log.error('job.release-failed', error, { organizationId }),
  );

  constructor(
    @Inject(Database) private readonly database: Pick<Database, 'query'>,
    private readonly lanes: LaneClient,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, failureEvent: 'job.release-failed' });
  }

  /** A slice for each of some organizations. @returns whether quota was given back */
  async round(): Promise<boolean> {
    const next = await this.database.query(nextSql, [ROUND_MAX, this.tenants.leftAlone()]);
    return (await this.tenants.each(next, (release) => this.release(release))) > 0;
  }

  private async release({ organizationId, jobId, releaseFrom }: Release): Promise<void> {
    const slice = await this.database.query(sliceSql, [organizationId, jobId, releaseFrom, SLICE_MAX]);
    const indexes = slice.map(({ index }) => index);
    if (indexes.length > 0) await this.lanes.release(organizationId, jobId, indexes);
    const last = indexes.at(-1);
    const isLast = last === undefined || indexes.length < SLICE_MAX;
    await this.database.query(movedSql, [organizationId, jobId, isLast ? null : last + 1]);
  }
}
