import { isAbove, statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import { hasWaiting, isActive, mayBegin, pacedJobs, waitingOf } from '../bulk-lane/active-lane.sql.js';
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
  /** Lanes of the channel that were to be claimed because something of them waits; those that somebody holds are not there. */
  readonly beginning: number;
  /** The database's clock, in epoch milliseconds. */
  readonly nowMs: number;
}

/** A channel of which lanes are claimed. */
export interface ClaimedChannel extends ChannelKey {
  /** Lanes that something of may begin: those that have waited longest. */
  readonly lanesMax: number;
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
 * Of a channel the lanes that begin next, of jobs that have not finished, and those with something to be sent again: what a claim
 * costs is neither what is open for an hour more, nor how many jobs there are. All of a channel that is not connected, which are held. A
 * lane that an action or a batch holds is left to the next look.
 */
const lanesSql = statement<ClaimableLane>(
  'messaging.lane.claimable',
  `WITH RECURSIVE g AS MATERIALIZED (
     SELECT * FROM unnest($1::text[], $2::text[], $5::int[]) AS given(organization_id, channel_id, lanes_max)
   ), ${pacedJobs('g', '$4')}, beginning AS MATERIALIZED (
     SELECT next.organization_id, g.channel_id, next.job_id
     FROM g JOIN channel ch ON ch.organization_id = g.organization_id AND ch.id = g.channel_id
     CROSS JOIN LATERAL (
       SELECT a.organization_id, a.job_id FROM (
         SELECT l.organization_id, l.job_id, l.waiting_from, l.next_begin_at FROM bulk_lane l
         WHERE ${isActive('l')} AND l.organization_id = g.organization_id AND l.channel_id = g.channel_id
         ORDER BY l.next_begin_at, l.job_id OFFSET 0) AS a
       WHERE ${hasWaiting('a')}
       ORDER BY a.next_begin_at, a.job_id LIMIT CASE WHEN ch.status = 'CONNECTED' THEN g.lanes_max END) AS next
   ), claimed AS MATERIALIZED (
     SELECT organization_id, job_id FROM beginning UNION SELECT organization_id, job_id FROM paced
   )
   SELECT l.organization_id AS "organizationId", l.job_id AS "jobId", l.channel_id AS "channelId",
     l.throttle_per_hour AS "throttlePerHour", l.owner,
     (extract(epoch FROM l.next_begin_at) * 1000)::float8 AS "nextBeginMs", ch.status AS "channelStatus",
     ${countOf(IS_DUE)} AS due, ${countOf(`${IS_DUE} AND ${MAY_REPEAT}`)} AS repeats,
     (SELECT (extract(epoch FROM d.due_at) * 1000)::float8 FROM dispatch d WHERE ${OF_LANE}
       AND d.due_at > now() ORDER BY d.due_at LIMIT 1) AS "nextRepeatMs",
     l.waiting_from AS "waitingFrom",
     (SELECT count(*)::int FROM (SELECT FROM bulk_item i WHERE ${waitingOf('l')} LIMIT $3) AS waiting) AS items,
     (SELECT count(*)::int FROM beginning x WHERE x.organization_id = l.organization_id AND x.channel_id = l.channel_id) AS beginning,
     (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"
   FROM (SELECT organization_id, job_id FROM claimed ORDER BY organization_id, job_id OFFSET 0) AS c
   CROSS JOIN LATERAL (
     SELECT b.* FROM bulk_lane b
     WHERE b.organization_id = c.organization_id AND b.job_id = c.job_id AND b.is_open AND ${mayBegin('b')}
     FOR NO KEY UPDATE SKIP LOCKED) AS l
   JOIN channel ch ON ch.organization_id = l.organization_id AND ch.id = l.channel_id
   ORDER BY l.organization_id, l.job_id`,
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
  channels: readonly ClaimedChannel[],
  limit: number,
  repeatsFromMs: number,
): Promise<ClaimableLane[]> {
  const [organizations, ids, lanesMax] = unnestColumns(channels, ['organizationId', 'channelId', 'lanesMax']);
  return tx.query(lanesSql, [organizations, ids, limit, repeatsFromMs, lanesMax]);
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
