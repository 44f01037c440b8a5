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

/** Active jobs by their index, each with the few rows that it depends on. */
const changedSql = statement<ChangedCause>(
  'templates.job.changed-causes',
  `SELECT j.organization_id AS "organizationId", j.id AS "jobId", c.reason, c.is_there AS begins
   FROM job j
   JOIN template t ON t.organization_id = j.organization_id AND t.id = j.template_id
   LEFT JOIN channel l ON l.organization_id = j.organization_id AND l.id = j.channel_id
   LEFT JOIN organization o ON o.organization_id = j.organization_id
   CROSS JOIN LATERAL (VALUES
     ('TEMPLATE_NOT_APPROVED', t.status <> 'APPROVED', t.updated_at > j.held_at),
     ('CHANNEL_DISCONNECTED', coalesce(l.status = 'DISCONNECTED', false), l.last_event_id > cuid_floor(j.held_at)),
     ('SUBSCRIPTION', coalesce(o.subscription <> 'ACTIVE', false), true),
     ('QUOTA', coalesce(o.is_over_quota AND j.quota_month = to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM'), false), true)
   ) AS c (reason, is_there, is_newer)
   WHERE j.state = 'ACTIVE' AND NOT j.organization_id = ANY ($2::text[]) AND c.is_there <> (c.reason = ANY (j.holds))
     AND (c.is_there OR c.is_newer OR j.held_at < now() - ${AHEAD})
     AND (c.reason <> 'QUOTA' OR c.is_there OR o.is_over_quota IS NOT NULL
       OR j.quota_month < to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM'))
   ORDER BY c.is_there DESC, j.organization_id, j.id LIMIT $1`,
);

/**
 * Causes that began or ended since jobs were held or released last. What begins comes first: between the end of one cause and the
 * beginning of another nothing is sent.
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
