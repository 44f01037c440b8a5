import { statement, unnestColumns, type Database } from '@switchboard/postgres';
import type { ChannelKey, LaneKey } from '../bulk-lane/lane.entity.js';

/** A recipient whose contact is to be asked for before its turn. */
export interface UnknownItem extends LaneKey, ChannelKey {
  readonly recipientIndex: number;
  /** E.164. */
  readonly phone: string;
}

/** Where a walk stands: organizations are looked at in the order of their ids, the lanes of each in that of their jobs. */
export interface UnknownWalk {
  /** The organization that was looked at last; null: the walk begins with the first. */
  readonly behind: string | null;
  /** Of organizations the lane that was looked at last; without one it is the first. */
  readonly lanes: readonly LaneKey[];
}

const IS_UNKNOWN = `i.state = 'WAITING' AND NOT i.is_contact_known`;
/** Of organization `o` the first lane that meets a condition. */
const laneWhere = (condition: string): string =>
  `(SELECT i.job_id FROM bulk_item i WHERE ${IS_UNKNOWN} AND i.organization_id = o.organization_id ${condition}
      ORDER BY i.job_id LIMIT 1)`;

/**
 * From organization to organization along `bulk_item_unknown`, and of each to the lane behind its last: a probe or two each, whatever
 * waits in them.
 */
const itemsSql = statement<UnknownItem>(
  'messaging.lane-item.unknown',
  `WITH RECURSIVE organization AS (
     (SELECT i.organization_id, 1 AS n FROM bulk_item i WHERE ${IS_UNKNOWN} AND i.organization_id > $1
      ORDER BY i.organization_id LIMIT 1)
     UNION ALL
     SELECT next.organization_id, o.n + 1
     FROM organization o CROSS JOIN LATERAL (
       SELECT i.organization_id FROM bulk_item i WHERE ${IS_UNKNOWN} AND i.organization_id > o.organization_id
       ORDER BY i.organization_id LIMIT 1) AS next
     WHERE o.n < $4
   ), lane AS (
     SELECT o.organization_id, o.n,
       coalesce(${laneWhere('AND i.job_id > last.job_id')}, ${laneWhere('')}) AS job_id
     FROM organization o LEFT JOIN unnest($2::text[], $3::text[]) AS last(organization_id, job_id)
       ON last.organization_id = o.organization_id
   )
   SELECT l.organization_id AS "organizationId", l.job_id AS "jobId", l.channel_id AS "channelId",
     u.recipient_index AS "recipientIndex", u.phone
   FROM lane
   JOIN bulk_lane l ON l.organization_id = lane.organization_id AND l.job_id = lane.job_id
   CROSS JOIN LATERAL (
     SELECT i.recipient_index, i.phone FROM bulk_item i
     WHERE ${IS_UNKNOWN} AND i.organization_id = lane.organization_id AND i.job_id = lane.job_id
     ORDER BY i.recipient_index LIMIT $5) AS u
   WHERE l.channel_id IS NOT NULL
   ORDER BY lane.n, u.recipient_index`,
);

/** Recipients whose contacts are not known, of one lane of each organization: at most `each` of it. */
export async function unknownItems(
  database: Database,
  { behind, lanes }: UnknownWalk,
  limits: { readonly organizations: number; readonly each: number },
): Promise<UnknownItem[]> {
  const columns = unnestColumns(lanes, ['organizationId', 'jobId']);
  return database.query(itemsSql, [behind ?? '', ...columns, limits.organizations, limits.each]);
}
