import { Inject, Injectable } from '@nestjs/common';
import { LOG, PollingWorker, TenantByTenant, type Log } from '@switchboard/platform';
import { Database, statement } from '@switchboard/postgres';
import { ReleaseSignal } from '../job/release-signal.js';
import { LaneClient } from '../lane/lane.client.js';
import { releaseSlice, type Release } from './release-slice.js';

/** Organizations of a round, with a slice of one job each. */
const ROUND_MAX = 8;
const IDLE_MS = 10_000;

/** Two replicas at one job change nothing: quota is given back once for each recipient. */
const nextSql = statement<Release>(
  'templates.job.next-releases',
  `SELECT DISTINCT ON (organization_id) organization_id AS "organizationId", id AS "jobId", release_from AS "releaseFrom"
   FROM job WHERE release_from IS NOT NULL AND NOT organization_id = ANY ($2::text[])
   ORDER BY organization_id, id LIMIT $1`,
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
    signal: ReleaseSignal,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, signal, failureEvent: 'job.release-failed' });
  }

  /** A slice for each of some organizations. @returns whether quota was given back */
  async round(): Promise<boolean> {
    const next = await this.database.query(nextSql, [ROUND_MAX, this.tenants.leftAlone()]);
    return (await this.tenants.each(next, (release) => releaseSlice(this.database, this.lanes, release))) > 0;
  }
}
