import { statement, type Database } from '@switchboard/postgres';
import type { ChannelKey, LaneKey } from '../bulk-lane/lane.entity.js';

/** A recipient whose contact is to be asked for before its turn. */
export interface UnknownItem extends LaneKey, ChannelKey {
  readonly recipientIndex: number;
  /** E.164. */
  readonly phone: string;
}

/** A walk from lane to lane along `bulk_item_unknown`: one probe each, whatever waits in them. */
const itemsSql = statement<UnknownItem>(
  'messaging.lane-item.unknown',
  `WITH RECURSIVE lane AS (
     (SELECT organization_id, job_id, 1 AS n FROM bulk_item
      WHERE state = 'WAITING' AND NOT is_contact_known AND (organization_id, job_id) > ($1, $2)
      ORDER BY organization_id, job_id LIMIT 1)
     UNION ALL
     SELECT next.organization_id, next.job_id, lane.n + 1
     FROM lane CROSS JOIN LATERAL (
       SELECT i.organization_id, i.job_id FROM bulk_item i
       WHERE i.state = 'WAITING' AND NOT i.is_contact_known
         AND (i.organization_id, i.job_id) > (lane.organization_id, lane.job_id)
       ORDER BY i.organization_id, i.job_id LIMIT 1) AS next
     WHERE lane.n < $3
   )
   SELECT l.organization_id AS "organizationId", l.job_id AS "jobId", l.channel_id AS "channelId",
     i.recipient_index AS "recipientIndex", i.phone
   FROM lane
   JOIN bulk_lane l ON l.organization_id = lane.organization_id AND l.job_id = lane.job_id
   CROSS JOIN LATERAL (
     SELECT u.recipient_index, u.phone FROM bulk_item u
     WHERE u.organization_id = lane.organization_id AND u.job_id = lane.job_id
       AND u.state = 'WAITING' AND NOT u.is_contact_known
     ORDER BY u.recipient_index LIMIT $4) AS i
   WHERE l.channel_id IS NOT NULL
   ORDER BY lane.n, i.recipient_index`,
);

/**
 * Recipients whose contacts are not known, at most `each` of a lane.
 *
 * @param behind the lane where the last walk ended; null: from the first
 */
export async function unknownItems(
  database: Database,
  behind: LaneKey | null,
  limits: { readonly lanes: number; readonly each: number },
): Promise<UnknownItem[]> {
  return database.query(itemsSql, [behind?.organizationId ?? '', behind?.jobId ?? '', limits.lanes, limits.each]);
}
