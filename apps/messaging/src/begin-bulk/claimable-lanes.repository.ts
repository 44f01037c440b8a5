import { isAbove, statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import { isActive, mayBegin, pacedJobs, waitingOf } from '../bulk-lane/active-lane.sql.js';
import type { ChannelKey, LaneItem, LaneKey } from '../bulk-lane/lane.entity.js';
import { MAY_REPEAT } from '../dispatch/paced-claim.repository.js';

/** A lane of a locked channel that may begin something, locked against actions on it. */
export interface ClaimableLane extends LaneKey, ChannelKey {
  readonly throttlePerHour: number | null;
  /** The process that began its last attempts. */
  readonly owner: string | null;
  /** Epoch milliseconds; minus infinity before its first attempt. */
  readonly nextBeginMs: number;
  readonly channelStatus: 'CONNECTED' | 'DISCONNECTED';
  /** Messages that are due to be sent again, counted up to the limit. */
  readonly due: number;
  /** Those of them that may be sent now: no slot is allocated to one that waits for another of its conversation. */
  readonly repeats: number;
  /** When the next of them is due, later than now; null: none. */
  readonly nextRepeatMs: number | null;
  /** None that waits has a lower index. */
  readonly waitingFrom: number;
  /** Recipients whose turn may come, counted up to the limit. */
  readonly items: number;
  /** The database's clock, in epoch milliseconds. */
  readonly nowMs: number;
}

/** How many of a lane are claimed. */
export interface LaneCount extends LaneKey, ChannelKey {
  readonly waitingFrom: number;
  readonly count: number;
}

/** How a claim leaves a lane. */
export interface LaneAfter extends LaneKey {
  /** Null: nothing began, and owner and time stay. */
  readonly nextBeginMs: number | null;
  /** First attempts that were claimed. */
  readonly begun: number;
  readonly waitingFrom: number;
}

/** Of a lane `l` what is to be sent again. */
const OF_LANE = `d.state = 'PACED' AND d.organization_id = l.organization_id AND d.channel_id = l.channel_id
       AND d.job_id = l.job_id`;
const IS_DUE = `d.due_at <= now() AND ${isAbove('$4', 'd.due_at')}`;
/** How many of them, up to the limit. */
const countOf = (which: string): string =>
  `(SELECT count(*)::int FROM (SELECT FROM dispatch d WHERE ${OF_LANE} AND ${which} ORDER BY d.due_at LIMIT $3) AS found)`;

/**
 * Of a channel the lanes of jobs that have not finished, and those with something to be sent again: what a claim costs is not what is
 * open for an hour more. A lane that an action or a batch holds is left to the next look.
 */
const lanesSql = statement<ClaimableLane>(
  'messaging.lane.claimable',
  `WITH RECURSIVE g AS MATERIALIZED (
     SELECT * FROM unnest($1::text[], $2::text[]) AS given(organization_id, channel_id)
   ), ${pacedJobs('g', '$4')}, claimed AS MATERIALIZED (
     SELECT a.organization_id, a.job_id FROM g JOIN bulk_lane a
       ON ${isActive('a')} AND a.organization_id = g.organization_id AND a.channel_id = g.channel_id
     UNION
     SELECT organization_id, job_id FROM paced
   )
   SELECT l.organization_id AS "organizationId", l.job_id AS "jobId", l.channel_id AS "channelId",
     l.throttle_per_hour AS "throttlePerHour", l.owner,
     (extract(epoch FROM l.next_begin_at) * 1000)::float8 AS "nextBeginMs", ch.status AS "channelStatus",
     ${countOf(IS_DUE)} AS due, ${countOf(`${IS_DUE} AND ${MAY_REPEAT}`)} AS repeats,
     (SELECT (extract(epoch FROM d.due_at) * 1000)::float8 FROM dispatch d WHERE ${OF_LANE}
       AND d.due_at > now() ORDER BY d.due_at LIMIT 1) AS "nextRepeatMs",
     l.waiting_from AS "waitingFrom",
     (SELECT count(*)::int FROM (SELECT FROM bulk_item i WHERE ${waitingOf('l')} LIMIT $3) AS waiting) AS items,
     (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"
   FROM claimed c
   JOIN bulk_lane l ON l.organization_id = c.organization_id AND l.job_id = c.job_id
   JOIN channel ch ON ch.organization_id = l.organization_id AND ch.id = l.channel_id
   WHERE l.is_open AND ${mayBegin('l')}
   ORDER BY l.organization_id, l.job_id
   FOR NO KEY UPDATE OF l SKIP LOCKED`,
);
const itemsSql = statement<LaneItem>(
  'messaging.lane-item.next',
  `SELECT i.* FROM unnest($1::text[], $2::text[], $3::int[], $4::int[]) AS g(organization_id, job_id, waiting_from, count)
   CROSS JOIN LATERAL (
     SELECT w.organization_id AS "organizationId", w.job_id AS "jobId", w.recipient_index AS "recipientIndex",
       w.message_id AS "messageId", w.phone, w.content, w.expires_at AS "expiresAt"
     FROM bulk_item w WHERE w.organization_id = g.organization_id AND w.job_id = g.job_id
       AND w.state = 'WAITING' AND w.is_contact_known AND w.recipient_index >= g.waiting_from
     ORDER BY w.recipient_index LIMIT g.count) AS i`,
);
const leaveSql = statement(
  'messaging.lane.claimed',
  `UPDATE bulk_lane l SET owner = CASE WHEN g.next_begin_ms IS NULL THEN l.owner ELSE $1 END,
     next_begin_at = coalesce(to_timestamp(g.next_begin_ms / 1000), l.next_begin_at), begun = l.begun + g.begun,
     waiting_from = g.waiting_from
   FROM unnest($2::text[], $3::text[], $4::float8[], $5::int[], $6::int[])
     AS g(organization_id, job_id, next_begin_ms, begun, waiting_from)
   WHERE l.organization_id = g.organization_id AND l.job_id = g.job_id`,
);

/**
 * Locks lanes of channels that may have something to begin, now or later, and that no pause, hold or withdrawal keeps.
 *
 * @param limit of what is counted in each
 * @param repeatsFromMs see `LaneFloors`
 */
export async function claimableLanes(
  tx: Transaction,
  channels: readonly ChannelKey[],
  limit: number,
  repeatsFromMs: number,
): Promise<ClaimableLane[]> {
  const columns = unnestColumns(channels, ['organizationId', 'channelId']);
  return tx.query(lanesSql, [...columns, limit, repeatsFromMs]);
}

/** The next recipients of locked lanes, in the order of their index. */
export async function nextItems(tx: Transaction, counts: readonly LaneCount[]): Promise<LaneItem[]> {
  if (counts.length === 0) return [];
  return tx.query(itemsSql, unnestColumns(counts, ['organizationId', 'jobId', 'waitingFrom', 'count']));
}

/** Leaves locked lanes, those of which something began as the process's own. Travels with COMMIT. */
export function leaveLanes(tx: Transaction, owner: string, lanes: readonly LaneAfter[]): void {
  if (lanes.length === 0) return;
  const columns = ['organizationId', 'jobId', 'nextBeginMs', 'begun', 'waitingFrom'] as const;
  tx.atCommit(leaveSql, [owner, ...unnestColumns(lanes, columns)]);
}
