import { bulkLaneHeld, bulkLaneReleased, type LaneHeldReason } from '@switchboard/contracts/messaging/bulk-events';
import { appendEvents, type NewEvent } from '@switchboard/outbox';
import { statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import type { ChannelKey, HeldLane, LaneKey } from './lane.entity.js';

/** A lane as an action finds it, locked against claims and batches. */
export interface LockedLane {
  readonly channelId: string | null;
  readonly isPaused: boolean;
  readonly isWithdrawn: boolean;
  /** The causes of its hold, in the order in which they came; empty: it is not held. */
  readonly holds: readonly LaneHeldReason[];
  readonly begun: number;
}

/** What keeps a lane from being claimed, as it is stored. */
export type StoredLaneState = Pick<LockedLane, 'isPaused' | 'isWithdrawn' | 'holds'>;

const makeSql = statement(
  'messaging.lane.make',
  'INSERT INTO bulk_lane (organization_id, job_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
);
/** FOR UPDATE: a claim under way, and a batch that is being stored, are waited for. */
const lockSql = statement<LockedLane>(
  'messaging.lane.lock',
  `SELECT channel_id AS "channelId", is_paused AS "isPaused", is_withdrawn AS "isWithdrawn",
     CASE WHEN held_reason IS NULL THEN '{}' ELSE held_reason || further_holds END AS holds, begun::float8 AS begun
   FROM bulk_lane WHERE organization_id = $1 AND job_id = $2 FOR UPDATE`,
);
/** A lane that is withdrawn before anything came has finished: the event of its end may have come already. */
const stateSql = statement(
  'messaging.lane.store-state',
  `UPDATE bulk_lane SET is_paused = $3, is_withdrawn = $4, held_reason = ($5::text[])[1], further_holds = ($5::text[])[2:],
     finished_at = CASE WHEN $4 AND channel_id IS NULL THEN coalesce(finished_at, now()) ELSE finished_at END
   WHERE organization_id = $1 AND job_id = $2`,
);
const openSql = statement(
  'messaging.lane.open',
  `INSERT INTO bulk_lane AS l (organization_id, job_id, channel_id, throttle_per_hour) VALUES ($1, $2, $3, $4)
   ON CONFLICT (organization_id, job_id) DO UPDATE SET channel_id = excluded.channel_id,
     throttle_per_hour = excluded.throttle_per_hour
   WHERE l.channel_id IS NULL`,
);
/** KEY SHARE: a claim goes on meanwhile, a withdrawal does not. */
const shareSql = statement<{ channelId: string | null; isWithdrawn: boolean }>(
  'messaging.lane.share',
  `SELECT channel_id AS "channelId", is_withdrawn AS "isWithdrawn" FROM bulk_lane WHERE organization_id = $1 AND job_id = $2 FOR KEY SHARE`,
);
/** Of a lane `l`: behind the causes that it has, those of `added`, none of which it has. */
const ADD_REASONS = `held_reason = coalesce(l.held_reason, added.reasons[1]),
     further_holds = CASE WHEN l.held_reason IS NULL THEN added.reasons[2:] ELSE l.further_holds || added.reasons END`;
/** Of a channel all lanes of jobs that have not finished, or one job's: those that have the cause already are not written. */
const holdSql = statement<Omit<HeldLane, 'reason'> & { readonly reasons: readonly LaneHeldReason[] }>(
  'messaging.lane.hold',
  `WITH locked AS (
     SELECT l.organization_id, l.job_id, g.reason
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS g(organization_id, channel_id, job_id, reason)
     JOIN bulk_lane l ON l.organization_id = g.organization_id AND l.channel_id = g.channel_id AND l.is_open
       AND l.finished_at IS NULL
     WHERE (g.job_id IS NULL OR l.job_id = g.job_id) AND NOT l.is_withdrawn
       AND (l.held_reason IS NULL OR NOT g.reason = ANY (l.held_reason || l.further_holds))
     ORDER BY l.organization_id, l.job_id FOR NO KEY UPDATE OF l
   ), added AS (
     SELECT organization_id, job_id, array_agg(DISTINCT reason) AS reasons FROM locked GROUP BY 1, 2
   )
   UPDATE bulk_lane l SET ${ADD_REASONS} FROM added
   WHERE l.organization_id = added.organization_id AND l.job_id = added.job_id
   RETURNING l.organization_id AS "organizationId", l.job_id AS "jobId", l.channel_id AS "channelId", added.reasons`,
);
/**
 * What the upstream says of a channel holds for a job that begins later as well, as long as one of the others is held for it; also for one
 * that is held already, whose other cause may end first.
 */
const inheritSql = statement<{ reasons: readonly LaneHeldReason[] }>(
  'messaging.lane.inherit-holds',
  `WITH added AS (
     SELECT array_agg(DISTINCT h.reason) AS reasons FROM bulk_lane l
     JOIN bulk_lane o ON o.is_open AND o.finished_at IS NULL AND NOT o.is_withdrawn AND o.organization_id = $1 AND o.channel_id = $3
       AND o.job_id <> $2
     CROSS JOIN LATERAL unnest(o.held_reason || o.further_holds) AS h(reason)
     WHERE l.organization_id = $1 AND l.job_id = $2 AND h.reason IN ('SPAM_LIMIT', 'CHANNEL_BLOCKED')
       AND (l.held_reason IS NULL OR NOT h.reason = ANY (l.held_reason || l.further_holds))
   )
   UPDATE bulk_lane l SET ${ADD_REASONS} FROM added
   WHERE l.organization_id = $1 AND l.job_id = $2 AND added.reasons IS NOT NULL
   RETURNING added.reasons`,
);
/** Also of a lane that there is not yet: one that is opened late, by what stood still, is closed as others are. */
const finishSql = statement(
  'messaging.lane.finish',
  `INSERT INTO bulk_lane AS l (organization_id, job_id, finished_at)
   SELECT DISTINCT organization_id, job_id, now() FROM unnest($1::text[], $2::text[]) AS g(organization_id, job_id) ORDER BY 1, 2
   ON CONFLICT (organization_id, job_id) DO UPDATE SET finished_at = excluded.finished_at WHERE l.finished_at IS NULL`,
);

/** What is to stand still: a job's lane, or every open lane of a channel. */
export interface HoldTarget extends ChannelKey {
  readonly jobId: string | null;
  readonly reason: LaneHeldReason;
}

/** Locks a job's lane, which is made when there is none: nothing is claimed from it and no batch is stored meanwhile. */
export async function lockLane(tx: Transaction, { organizationId, jobId }: LaneKey): Promise<LockedLane> {
  await tx.query(makeSql, [organizationId, jobId]);
  const [lane] = await tx.query(lockSql, [organizationId, jobId]);
  if (!lane) throw new Error('the lane that was made is not there');
  return lane;
}

/** Stores the state of a locked lane, with events where a hold began or ended. Travels with COMMIT. */
export function storeLaneState(tx: Transaction, key: LaneKey, before: LockedLane, after: StoredLaneState): void {
  const { organizationId, jobId } = key;
  tx.atCommit(stateSql, [organizationId, jobId, after.isPaused, after.isWithdrawn, after.holds]);
  if (before.channelId === null) return;
  const { channelId } = before;
  const ended = before.holds.filter((reason) => !after.holds.includes(reason));
  const begun = after.holds.filter((reason) => !before.holds.includes(reason));
  appendEvents(tx, [
    ...ended.map((reason) => holdEvent(bulkLaneReleased, { ...key, channelId, reason })),
    ...begun.map((reason) => holdEvent(bulkLaneHeld, { ...key, channelId, reason })),
  ]);
}

/**
 * Opens a job's lane for a batch that the same transaction stores.
 *
 * @returns false when it was withdrawn; one that is being withdrawn is waited for
 */
export async function openLane(
  tx: Transaction,
  {
    organizationId,
    jobId,
    channelId,
    throttlePerHour,
  }: LaneKey & ChannelKey & { readonly throttlePerHour: number | null },
): Promise<boolean> {
  const [known] = await tx.query(shareSql, [organizationId, jobId]);
  if (known && known.channelId !== null) return !known.isWithdrawn;
  await tx.query(openSql, [organizationId, jobId, channelId, throttlePerHour]);
  const [inherited] = await tx.query(inheritSql, [organizationId, jobId, channelId]);
  const reasons = inherited?.reasons ?? [];
  appendEvents(
    tx,
    reasons.map((reason) => holdEvent(bulkLaneHeld, { organizationId, jobId, channelId, reason })),
  );
  const [lane] = await tx.query(shareSql, [organizationId, jobId]);
  return lane?.isWithdrawn === false;
}

/**
 * Holds lanes for causes that they are not held for yet; emits an event for each. A transaction locks lanes before anything else (see
 * `lockMessages`).
 */
export async function holdLanes(tx: Transaction, targets: readonly HoldTarget[]): Promise<void> {
  if (targets.length === 0) return;
  const held = await tx.query(holdSql, unnestColumns(targets, ['organizationId', 'channelId', 'jobId', 'reason']));
  appendEvents(
    tx,
    held.flatMap(({ reasons, ...lane }) => reasons.map((reason) => holdEvent(bulkLaneHeld, { ...lane, reason }))),
  );
}

/** Notes that jobs have finished, before any other lock of the transaction. */
export async function finishLanes(tx: Transaction, jobs: readonly LaneKey[]): Promise<void> {
  if (jobs.length > 0) await tx.query(finishSql, unnestColumns(jobs, ['organizationId', 'jobId']));
}

/** An event of a hold, as it begins or ends. */
export function holdEvent(
  event: typeof bulkLaneHeld,
  { organizationId, jobId, channelId, reason }: HeldLane,
): NewEvent<unknown> {
  return {
    event,
    organizationId,
    aggregateId: jobId,
    sequence: null,
    occurredAt: new Date(),
    data: { jobId, messagingChannelId: channelId ?? '', reason },
    traceparent: null,
  };
}
