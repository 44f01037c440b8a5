import type { LaneHeldReason } from '@switchboard/contracts/messaging/bulk-events';
import { statement, type Queryable } from '@switchboard/postgres';

/** A cause of a job that began, or ended. */
export interface ChangedCause {
  readonly organizationId: string;
  readonly jobId: string;
  readonly reason: LaneHeldReason;
  readonly begins: boolean;
}

/**
 * A hold that messaging observed may be ahead of what this service knows of its cause: it is ended when the cause was
 * updated afterwards, or after this time. Each further one of a job lasts twice as long: as long as the job has run.
 */
const AHEAD_SECONDS = 60;
const AHEAD_SECONDS_MAX = 600;
const AHEAD = `least(greatest(interval '${AHEAD_SECONDS} seconds', j.held_at - j.started_at), interval '${AHEAD_SECONDS_MAX} seconds')`;

const THIS_MONTH = `to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM')`;

/**
 * What a job depends on is looked up once for all active jobs that have it in common, and of the jobs only those whose causes differ from
 * their holds are read again, by their keys: thousands may wait for their time while a handful of templates and channels is used.
 */
const changedSql = statement<ChangedCause>(
  'templates.job.changed-causes',
  `WITH alike AS MATERIALIZED (
     SELECT organization_id, template_id, channel_id, quota_month, holds, array_agg(id) AS ids FROM job
     WHERE state = 'ACTIVE' AND NOT organization_id = ANY ($2::text[]) GROUP BY 1, 2, 3, 4, 5
   ), changed AS MATERIALIZED (
     SELECT a.organization_id, a.ids, c.reason, c.is_there, c.updated_at, c.event_id
     FROM alike a
     JOIN template t ON t.organization_id = a.organization_id AND t.id = a.template_id
     LEFT JOIN channel l ON l.organization_id = a.organization_id AND l.id = a.channel_id
     LEFT JOIN organization o ON o.organization_id = a.organization_id
     CROSS JOIN LATERAL (VALUES
       ('TEMPLATE_NOT_APPROVED', t.status <> 'APPROVED', t.updated_at, NULL),
       ('CHANNEL_DISCONNECTED', coalesce(l.status = 'DISCONNECTED', false), NULL, l.last_event_id),
       ('SUBSCRIPTION', coalesce(o.subscription <> 'ACTIVE', false), 'infinity', NULL),
       ('QUOTA', coalesce(o.is_over_quota AND a.quota_month = ${THIS_MONTH}, false), 'infinity', NULL)
     ) AS c (reason, is_there, updated_at, event_id)
     WHERE c.is_there <> (c.reason = ANY (a.holds))
       AND (c.reason <> 'QUOTA' OR c.is_there OR o.is_over_quota IS NOT NULL OR a.quota_month < ${THIS_MONTH})
   )
   SELECT organization_id AS "organizationId", id AS "jobId", reason, is_there AS begins FROM (
     SELECT j.organization_id, j.id, c.reason, c.is_there,
       row_number() OVER (PARTITION BY j.organization_id ORDER BY c.is_there DESC, j.id) AS turn
     FROM changed c CROSS JOIN LATERAL unnest(c.ids) AS one(id)
     JOIN job j ON j.organization_id = c.organization_id AND j.id = one.id
     WHERE c.is_there OR c.updated_at > j.held_at OR c.event_id > cuid_floor(j.held_at) OR j.held_at < now() - ${AHEAD}
   ) AS turns
   ORDER BY turn, organization_id LIMIT $1`,
);

/**
 * Causes that began or ended since jobs were held or released last. Organizations take turns: the second cause of one comes after the first
 * of each other one. Of an organization what begins comes first: between the end of one cause and the beginning of another nothing is
 * sent.
 *
 * @param without ids of organizations that are left out
 */
export async function changedCauses(
  through: Queryable,
  limit: number,
  without: readonly string[] = [],
): Promise<ChangedCause[]> {
  return through.query(changedSql, [limit, without]);
}
