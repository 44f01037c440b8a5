import { IS_COMPARED } from '@switchboard/outbox';
import {
  type Database,
  floorAt,
  isAbove,
  type Queryable,
  queryWithin,
  statement,
  type Transaction,
  unnestColumns,
} from '@switchboard/postgres';
import { floorOfDispatches } from '../dispatch/dispatch-floor.sql.js';
import { hasPassedBy, hasWaiting, isActive, mayBegin, pacedJobs } from './active-lane.sql.js';
import type { ChannelBegins } from './interactive-begins.js';
import type { ChannelKey, LaneKey } from './lane.entity.js';
import { CHANNEL_PER_SECOND, SHARE_MIN, SHARE_REGAINED_PER_SECOND } from './lane-pace.policy.js';

/** How a channel is paced, locked against every other claim. */
export interface LockedPace extends ChannelKey {
  /** Attempts a second as the upstream lets them pass at present. */
  readonly perSecond: number;
  /** Epoch milliseconds. */
  readonly nextBeginMs: number;
}

/** How a claim leaves a channel. */
export interface PaceAfter extends ChannelKey {
  readonly nextBeginMs: number;
  /** When it is worth another look; null: when something new waits. */
  readonly lookAtMs: number | null;
}

/** What an attempt means for its channel's pace. */
export interface PaceNote extends ChannelKey {
  readonly isSlowed: boolean;
  /** A message of a lane is to be sent again in so many milliseconds; null: none is. */
  readonly dueInMs: number | null;
}

/** Recipients of a lane that may begin, which could not before: none of them is below the index. */
export interface WokenLane extends LaneKey {
  readonly lowestIndex: number;
}

/** Where looks begin, by the database's clock in epoch milliseconds; see `LookFloor`. */
export interface LaneFloors {
  /** No look of any process is due before. */
  readonly looksFromMs: number;
  /** No message of a lane that is to be sent again is due before. */
  readonly repeatsFromMs: number;
}

/** Of a whole look. */
export const NO_FLOORS: LaneFloors = { looksFromMs: -Infinity, repeatsFromMs: -Infinity };

/** When a process looks next, and from where. */
export interface NextLook extends LaneFloors {
  /** Milliseconds until the first look that it may take; null: none is due. */
  readonly inMs: number | null;
  /** A channel has something to begin, whichever process has that: interactive sends count against its pace. */
  readonly isAnyWaiting: boolean;
}

/** How long the look for recipients that were passed by may take. */
const LOWERED_WITHIN_MS = 2_000;
/** How long a process that does not look any more keeps a channel. */
const OWNED_MS = 2_000;
/** A slower pace is given so long to show: refusals of attempts that were under way do not slow it again. */
const SLOWED_ONCE_IN_MS = 1_000;
/** Interactive sends that exceed the channel's rate hold up the background by so much at most. */
const DEBT_MAX_MS = 1_000;

const REGAINED = `least(1, p.share + ${SHARE_REGAINED_PER_SECOND}
  * extract(epoch FROM now() - greatest(p.share_changed_at, now() - interval '1 hour')))`;
const PER_SECOND = `(coalesce(p.per_second, ${CHANNEL_PER_SECOND}) * ${REGAINED})`;

/**
 * None of a database that may be from a backup: nothing is begun without its pace. Each claim moves a channel's entry of the index on,
 * which keeps the former ones behind an old snapshot: the floor passes those by.
 */
const lockSql = statement<LockedPace>(
  'messaging.pace.lock',
  `SELECT p.organization_id AS "organizationId", p.channel_id AS "channelId", ${PER_SECOND}::float8 AS "perSecond",
     (extract(epoch FROM p.next_begin_at) * 1000)::float8 AS "nextBeginMs"
   FROM channel_pace p WHERE ${isAbove('$4', 'p.look_at')} AND p.look_at < 'infinity'
     AND p.look_at <= clock_timestamp() AND (p.owner = $1 OR p.owned_until <= now())
     AND NOT p.channel_id = ANY($3::text[]) AND ${IS_COMPARED}
   ORDER BY p.look_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED`,
);
const holdSql = statement(
  'messaging.pace.hold',
  'SELECT FROM channel_pace WHERE organization_id = $1 AND channel_id = $2 FOR NO KEY UPDATE',
);
const updateSql = statement(
  'messaging.pace.claimed',
  `UPDATE channel_pace p SET owner = $1, owned_until = now() + make_interval(secs => ${OWNED_MS / 1_000}),
     next_begin_at = to_timestamp(g.next_begin_ms / 1000),
     look_at = coalesce(to_timestamp(g.look_at_ms / 1000), 'infinity')
   FROM unnest($2::text[], $3::text[], $4::float8[], $5::float8[])
     AS g(organization_id, channel_id, next_begin_ms, look_at_ms)
   WHERE p.organization_id = g.organization_id AND p.channel_id = g.channel_id`,
);
const ABOVE_FLOOR = `${isAbove('$2', 'p.look_at')} AND p.look_at < 'infinity'`;
const nextLookSql = statement<NextLook>(
  'messaging.pace.next-look',
  `SELECT (extract(epoch FROM next.at - now()) * 1000)::float8 AS "inMs",
     ${floorAt('first.at')} AS "looksFromMs", ${floorOfDispatches('PACED', '$3')} AS "repeatsFromMs",
     first.at IS NOT NULL AS "isAnyWaiting"
   FROM (SELECT (SELECT p.look_at FROM channel_pace p WHERE ${ABOVE_FLOOR} ORDER BY p.look_at LIMIT 1) AS at) AS first
   CROSS JOIN (SELECT (SELECT p.look_at FROM channel_pace p WHERE ${ABOVE_FLOOR} AND (p.owner = $1 OR p.owned_until <= now())
     ORDER BY p.look_at LIMIT 1) AS at) AS next`,
);
const creditSql = statement(
  'messaging.pace.interactive',
  `UPDATE channel_pace p SET next_begin_at = least(
     greatest(p.next_begin_at, now()) + make_interval(secs => g.begins / ${PER_SECOND}),
     greatest(p.next_begin_at, now() + make_interval(secs => ${DEBT_MAX_MS / 1_000})))
   FROM unnest($1::text[], $2::text[], $3::int[]) AS g(organization_id, channel_id, begins)
   WHERE p.organization_id = g.organization_id AND p.channel_id = g.channel_id AND p.look_at < 'infinity'`,
);
const noteSql = statement<ChannelKey & { perSecond: number }>(
  'messaging.pace.note',
  `UPDATE channel_pace p SET
     look_at = least(p.look_at, clock_timestamp() + make_interval(secs => g.due_in_ms / 1000)),
     share = CASE WHEN g.is_slowed AND p.share_changed_at < now() - make_interval(secs => ${SLOWED_ONCE_IN_MS / 1_000})
       THEN greatest(${REGAINED} / 2, ${SHARE_MIN}) ELSE p.share END,
     share_changed_at = CASE WHEN g.is_slowed
       AND p.share_changed_at < now() - make_interval(secs => ${SLOWED_ONCE_IN_MS / 1_000}) THEN now()
       ELSE p.share_changed_at END
   FROM unnest($1::text[], $2::text[], $3::bool[], $4::float8[])
     AS g(organization_id, channel_id, is_slowed, due_in_ms)
   WHERE p.organization_id = g.organization_id AND p.channel_id = g.channel_id`,
);
/** One probe for each channel that waits for nothing. One that somebody holds is looked at already, or by the next sweep. */
const sweepSql = statement<ChannelKey>(
  'messaging.pace.sweep',
  `WITH left_behind AS MATERIALIZED (
     SELECT p.organization_id, p.channel_id FROM channel_pace p
     WHERE p.look_at > now() + interval '5 seconds' AND (EXISTS (
       SELECT FROM bulk_lane l
       WHERE ${isActive('l')} AND l.organization_id = p.organization_id AND l.channel_id = p.channel_id
         AND l.next_begin_at <= now()
         AND ${hasWaiting('l')}) OR EXISTS (
       WITH RECURSIVE ${pacedJobs('(SELECT p.organization_id, p.channel_id)', '$1')}
       SELECT FROM paced JOIN bulk_lane l ON l.organization_id = paced.organization_id AND l.job_id = paced.job_id
       CROSS JOIN LATERAL (SELECT FROM dispatch d WHERE d.state = 'PACED' AND d.organization_id = paced.organization_id
         AND d.channel_id = paced.channel_id AND d.job_id = paced.job_id AND d.due_at <= now() AND ${isAbove('$1', 'd.due_at')} LIMIT 1)
         AS due
       WHERE l.next_begin_at <= now() AND l.is_open AND ${mayBegin('l')}))
     FOR NO KEY UPDATE OF p SKIP LOCKED
   )
   UPDATE channel_pace p SET look_at = now() FROM left_behind l
   WHERE p.organization_id = l.organization_id AND p.channel_id = l.channel_id
   RETURNING p.organization_id AS "organizationId", p.channel_id AS "channelId"`,
);

/**
 * The bounds of lanes below what has become able to begin. Whatever they are: a claim under way, which holds the lanes, may have raised
 * them. Locks the paces first, as claims do.
 */
const wakeSql = statement(
  'messaging.pace.wake',
  `WITH woken AS (
     INSERT INTO channel_pace AS p (organization_id, channel_id, look_at)
     SELECT organization_id, channel_id, clock_timestamp()
     FROM unnest($1::text[], $2::text[]) AS c(organization_id, channel_id)
     ON CONFLICT (organization_id, channel_id) DO UPDATE SET look_at = clock_timestamp() WHERE p.look_at > now()
     RETURNING true
   ), locked AS MATERIALIZED (SELECT count(*) FROM woken)
   UPDATE bulk_lane l SET waiting_from = least(l.waiting_from, g.lowest_index)
   FROM locked CROSS JOIN unnest($3::text[], $4::text[], $5::int[]) AS g(organization_id, job_id, lowest_index)
   WHERE l.organization_id = g.organization_id AND l.job_id = g.job_id`,
);
/** What stored recipients and ended before it had their lane's bound lowered. One that somebody holds is left to the next look. */
const lowerPassedSql = statement(
  'messaging.lane.lower-passed',
  `WITH passed AS MATERIALIZED (
     SELECT l.organization_id, l.job_id FROM bulk_lane l
     WHERE ${isActive('l')} AND l.waiting_from > 0 AND ${hasPassedBy('l')} FOR NO KEY UPDATE OF l SKIP LOCKED
   )
   UPDATE bulk_lane l SET waiting_from = 0 FROM passed
   WHERE l.organization_id = passed.organization_id AND l.job_id = passed.job_id`,
);

/** Has channels looked at now, and recipients of lanes found that may begin; see `ChannelWakes`. */
export async function wakeChannels(
  through: Queryable,
  channels: readonly ChannelKey[],
  lanes: readonly WokenLane[],
): Promise<void> {
  const woken = inOrder(channels, placeOf).flatMap(([first]) => first ?? []);
  const lowered = inOrder(lanes, ({ organizationId, jobId }) => `${organizationId} ${jobId}`).map((own) =>
    own.reduce((one, other) => (other.lowestIndex < one.lowestIndex ? other : one)),
  );
  await through.query(wakeSql, [
    ...unnestColumns(woken, ['organizationId', 'channelId']),
    ...unnestColumns(lowered, ['organizationId', 'jobId', 'lowestIndex']),
  ]);
}

/**
 * Finds recipients below the bounds of their lanes: what a crash left between a COMMIT and its `wakeChannels`. Behind an old snapshot it looks
 * through all that have begun since.
 *
 * @throws an error for which `isTimedOut` holds when it takes longer than 2 s
 */
export async function lowerPassed(database: Pick<Database, 'transaction'>): Promise<void> {
  await queryWithin(database, LOWERED_WITHIN_MS, { statement: lowerPassedSql, values: [] });
}

/**
 * Locks channels whose look is due and that no other process paces, the longest due first; waits for none.
 *
 * @param floors of the process's last `nextLook`; without them all are looked for
 */
export async function lockPaces(
  tx: Transaction,
  owner: string,
  max: number,
  { without = [], floors = NO_FLOORS }: { readonly without?: readonly string[]; readonly floors?: LaneFloors } = {},
): Promise<LockedPace[]> {
  return tx.query(lockSql, [owner, max, without, floors.looksFromMs]);
}

/** Leaves locked channels to their next look, as the process's own. Travels with COMMIT. */
export function leavePaces(tx: Transaction, owner: string, paces: readonly PaceAfter[]): void {
  tx.atCommit(updateSql, [owner, ...unnestColumns(paces, ['organizationId', 'channelId', 'nextBeginMs', 'lookAtMs'])]);
}

/** When this process may look next. @param floors as `lockPaces` has them */
export async function nextLook(through: Queryable, owner: string, floors: LaneFloors): Promise<NextLook> {
  const [next] = await through.query(nextLookSql, [owner, floors.looksFromMs, floors.repeatsFromMs]);
  return next ?? { inMs: null, isAnyWaiting: false, ...floors };
}

/** Takes interactive attempts from the credit of channels whose background has something to send. */
export async function takeInteractive(through: Queryable, begins: readonly ChannelBegins[]): Promise<void> {
  if (begins.length === 0) return;
  const ordered = inOrder(begins, placeOf).flat();
  await through.query(creditSql, unnestColumns(ordered, ['organizationId', 'channelId', 'begins']));
}

/** Slows channels, and has them looked at when a message is to be sent again. Channels without a lane know no pace. */
export async function notePaces(through: Queryable, notes: readonly PaceNote[]): Promise<void> {
  if (notes.length === 0) return;
  const merged = inOrder(notes, placeOf).map((own) => own.reduce(mergeNotes));
  await through.query(noteSql, unnestColumns(merged, ['organizationId', 'channelId', 'isSlowed', 'dueInMs']));
}

/** Returns when every claim that began before has ended: what it marked is seen from then on. */
export async function awaitClaims(database: Pick<Database, 'transaction'>, key: ChannelKey): Promise<void> {
  await database.transaction((tx) => tx.query(holdSql, [key.organizationId, key.channelId]));
}

/**
 * Finds channels that wait although they need not: what a crash left between a COMMIT and its wake-up.
 *
 * @param repeatsFromMs see `LaneFloors`
 */
export async function sweepPaces(through: Queryable, repeatsFromMs = -Infinity): Promise<ChannelKey[]> {
  return through.query(sweepSql, [repeatsFromMs]);
}

/** Rows are locked in this order: by organization, then by channel. */
function placeOf({ organizationId, channelId }: ChannelKey): string {
  return `${organizationId} ${channelId}`;
}

/** Items of one place together, by places in the order of locks. */
function inOrder<Item>(items: readonly Item[], place: (item: Item) => string): Item[][] {
  return [...Map.groupBy(items, place)].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, own]) => own);
}

function mergeNotes(one: PaceNote, other: PaceNote): PaceNote {
  const due = [one.dueInMs, other.dueInMs].filter((ms) => ms !== null);
  return { ...one, isSlowed: one.isSlowed || other.isSlowed, dueInMs: due.length > 0 ? Math.min(...due) : null };
}
