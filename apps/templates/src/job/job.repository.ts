import { Injectable } from '@nestjs/common';
import type { JobCounts } from '@switchboard/contracts/templates/job-http';
import { Database, statement, type Queryable } from '@switchboard/postgres';

/** A job with its counts, of one snapshot. */
export interface JobRow extends JobCounts {
  readonly id: string;
  readonly templateId: string;
  readonly channelId: string;
  readonly throttlePerHour: number | null;
  readonly total: number;
  readonly reserved: number;
  readonly state: 'ACTIVE' | 'COMPLETED' | 'CANCELED';
  readonly isPaused: boolean;
  readonly holds: readonly string[];
  readonly scheduledAt: Date | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  /** When a recipient left QUEUED last. */
  readonly settledAt: Date | null;
  readonly lanePerSecond: number | null;
  readonly begunPerSecond: number | null;
  /** By the database's clock. */
  readonly now: Date;
}

/** The shards of a job are few and next to each other in the primary key. */
const columns = `
  j.id, j.template_id AS "templateId", j.channel_id AS "channelId", j.throttle_per_hour AS "throttlePerHour", j.total,
  j.reserved, j.state, j.is_paused AS "isPaused", j.holds, j.scheduled_at AS "scheduledAt",
  j.started_at AS "startedAt", j.finished_at AS "finishedAt", c.queued, c.unconfirmed, c.sent, c.delivered, c.read, c.failed,
  c.skipped, c.settled_at AS "settledAt", f.lane_per_second AS "lanePerSecond", f.begun_per_second AS "begunPerSecond",
  now() AS now`;
const counts = `
  JOIN job_feed f ON f.organization_id = j.organization_id AND f.job_id = j.id
  CROSS JOIN LATERAL (
    SELECT sum(queued)::int AS queued, sum(unconfirmed)::int AS unconfirmed, sum(sent)::int AS sent,
      sum(delivered)::int AS delivered, sum(read)::int AS read, sum(failed)::int AS failed, sum(skipped)::int AS skipped,
      max(settled_at) AS settled_at
    FROM job_count WHERE organization_id = j.organization_id AND job_id = j.id) c`;
const findSql = statement<JobRow>(
  'templates.job.find',
  `SELECT ${columns} FROM job j ${counts} WHERE j.organization_id = $1 AND j.id = $2`,
);
/** Cut before the counts are read, so that those of a page alone are. */
const pageSql = statement<JobRow>(
  'templates.job.page',
  `SELECT ${columns} FROM (
     SELECT * FROM job WHERE organization_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3) j ${counts}
   ORDER BY j.id DESC`,
);
/** Sorts after every id. */
const FIRST_PAGE = 'd';

/** Reads jobs. */
@Injectable()
export class JobRepository {
  constructor(private readonly database: Database) {}

  /** Null for another organization's job too. */
  async find(organizationId: string, id: string): Promise<JobRow | null> {
    return findJob(this.database, organizationId, id);
  }

  /** At most so many jobs behind the cursor, newest first. */
  async list(organizationId: string, cursor: string | null, limit: number): Promise<JobRow[]> {
    return this.database.query(pageSql, [organizationId, cursor ?? FIRST_PAGE, limit]);
  }
}

/** As `JobRepository.find`, in a transaction too. */
export async function findJob(through: Queryable, organizationId: string, id: string): Promise<JobRow | null> {
  const [row] = await through.query(findSql, [organizationId, id]);
  return row ?? null;
}
