import { isAbove } from '@switchboard/postgres';

/** Of a lane: no pause, hold or withdrawal keeps it. */
export const mayBegin = (lane: string): string =>
  `NOT ${lane}.is_paused AND ${lane}.held_reason IS NULL AND NOT ${lane}.is_withdrawn`;

/**
 * Of channels `from` the jobs with something to be sent again, now or later: a walk from job to job along `dispatch_paced`, whatever of
 * each is to be sent. To be put behind `WITH RECURSIVE`.
 *
 * @param floor where they are due at the earliest, in epoch milliseconds
 */
export const pacedJobs = (from: string, floor: string): string => {
  const next = (of: string, behind: string): string =>
    `CROSS JOIN LATERAL (SELECT d.job_id FROM dispatch d
       WHERE d.state = 'PACED' AND d.organization_id = ${of}.organization_id AND d.channel_id = ${of}.channel_id${behind}
         AND ${isAbove(floor, 'd.due_at')}
       ORDER BY d.job_id LIMIT 1) AS next`;
  return `paced AS (
     SELECT c.organization_id, c.channel_id, next.job_id FROM ${from} AS c ${next('c', '')}
     UNION ALL
     SELECT p.organization_id, p.channel_id, next.job_id FROM paced p ${next('p', ' AND d.job_id > p.job_id')})`;
};

/**
 * Of a lane whose recipients may begin: of a job that has not finished. Index `bulk_lane_active`. One that has finished stays open for
 * an hour, for what is to be sent again of it, which is found by itself.
 */
export const isActive = (lane: string): string =>
  `${lane}.is_open AND ${lane}.finished_at IS NULL AND ${mayBegin(lane)}`;

/**
 * Of a lane its recipients `i` that may begin, by `bulk_item_waiting`. The index keeps those that have begun behind an old snapshot: none
 * below `waiting_from` is looked at.
 */
export const waitingOf = (lane: string): string => `${knownOf(lane)} AND i.recipient_index >= ${lane}.waiting_from`;

/** Of a lane: a recipient of it may begin. A probe of its own, by the whole key: joined, it may be by the organization's alone. */
export const hasWaiting = (lane: string): string =>
  `EXISTS (SELECT FROM bulk_item i WHERE ${waitingOf(lane)} OFFSET 0)`;

/** Of a lane: a recipient of it may begin below the bound, which is wrong then. A probe as `hasWaiting`. */
export const hasPassedBy = (lane: string): string =>
  `EXISTS (SELECT FROM bulk_item i WHERE ${knownOf(lane)} AND i.recipient_index < ${lane}.waiting_from OFFSET 0)`;

function knownOf(lane: string): string {
  return `i.organization_id = ${lane}.organization_id AND i.job_id = ${lane}.job_id AND i.state = 'WAITING' AND i.is_contact_known`;
}
