import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Budget } from '@switchboard/nats';
import { statement, type Queryable, type Transaction } from '@switchboard/postgres';
import { deliveryIdSql } from '../delivery/delivery-id.sql.js';
import { slicesOf, type Positions } from '../event/feed.repository.js';

/** What a replay sends again. */
export interface ReplayedEvents extends Positions {
  readonly webhookId: string;
  /** Makes the ids of the deliveries: repeated, a replay makes the same. */
  readonly replayId: string;
  readonly since: Date;
  readonly until: Date | null;
  /** Event types, those of them that the webhook subscribes to. */
  readonly types: readonly string[];
  readonly onlyMissed: boolean;
}

/** An event that is sent again. */
export interface ReplayedEvent {
  readonly id: string;
  readonly position: number;
}

/** Positions that one statement looks at. */
export const REPLAY_SLICE_POSITIONS = 5_000;
/** Kept back of the caller's time, for the last slice and the answer. */
const LEFT_MS_MIN = 5_000;
const FILTER = `e.organization_id = $1 AND e.position > $2 AND e.position <= $3 AND e.type = ANY ($4::text[])
  AND e.occurred_at >= $5::timestamptz AND ($6::timestamptz IS NULL OR e.occurred_at < $6)`;
const countSql = statement<{ count: number }>(
  'webhooks.replay.count',
  `SELECT count(*)::integer AS count FROM event e WHERE ${FILTER}`,
);
const eventsSql = statement<ReplayedEvent>(
  'webhooks.replay.events',
  `SELECT e.id, e.position::float8 AS position FROM event e WHERE ${FILTER} ORDER BY e.position LIMIT $7`,
);
/**
 * Which events have arrived: sent by themselves, or again by hand, under the id that follows from event and webhook (`storeEvents`), by
 * `attempt_delivery`; or by a replay, by `attempt_again`. One look at each day for all: both keys grow with the time of the event, so
 * that they lie together where they are, and are passed over at once where they are not. Nothing else is a key: planned for a day that is
 * empty, all attempts of it would be read by the primary key.
 */
const arrivedSql = statement<{ id: string }>(
  'webhooks.replay.arrived',
  `SELECT a.event_id AS id FROM attempt a
   WHERE a.delivery_id = ANY (ARRAY(SELECT ${deliveryIdSql('id', '$1')} FROM unnest($2::text[]) AS asked (id)))
     AND a.webhook_id || '' = $1 AND a.outcome = 'SUCCEEDED'
   UNION ALL
   SELECT a.event_id FROM attempt a
   WHERE a.webhook_id || ' ' || a.event_id = ANY (ARRAY(SELECT $1 || ' ' || id FROM unnest($2::text[]) AS asked (id)))
     AND a.kind <> 'AUTOMATIC' AND a.outcome = 'SUCCEEDED'`,
);
/** By index `delivery_first`, which a condition without IS would not be matched with. */
const waitingSql = statement<{ id: string }>(
  'webhooks.replay.waiting-first',
  ['FALSE', 'TRUE']
    .map(
      (isReplay) => `SELECT event_id AS id FROM delivery
   WHERE webhook_id = $1 AND (kind = 'REPLAY') IS ${isReplay} AND position = ANY ($2::bigint[]) AND tries = 0 AND attempt_id IS NULL`,
    )
    .join(' UNION ALL '),
);
const queueSql = statement(
  'webhooks.replay.queue',
  `INSERT INTO delivery (webhook_id, id, organization_id, event_id, type, line, position, body_bytes, kind, due_at)
   SELECT $2, ${deliveryIdSql('e.id', '$3', '$3')}, e.organization_id, e.id, e.type, e.line, e.position,
     octet_length(e.body), 'REPLAY', now()
   FROM unnest($4::text[]) AS replayed (id) JOIN event e ON e.id = replayed.id AND e.organization_id = $1
   ORDER BY e.position
   ON CONFLICT DO NOTHING`,
);

/** How long counting may take. */
export interface CountLimits {
  readonly budget: Pick<Budget, 'leftMs'>;
  /** The process that counts is about to end. */
  readonly stop: AbortSignal;
}

/**
 * How many events a replay would send.
 *
 * @throws VALIDATION_FAILED when counting leaves less than 5 s of the caller's time; SERVICE_UNAVAILABLE when it is to stop
 */
export async function countReplay(
  on: Queryable,
  events: ReplayedEvents,
  { budget, stop }: CountLimits,
): Promise<number> {
  let count = 0;
  for await (const slice of slicesOf(on, events, REPLAY_SLICE_POSITIONS)) {
    if (stop.aborted) throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 });
    if (budget.leftMs < LEFT_MS_MIN) {
      throw new AppError(
        serviceErrors.VALIDATION_FAILED,
        'The period has too many events to count: choose a shorter one',
      );
    }
    count += await countSlice(on, { ...events, ...slice });
  }
  return count;
}

/** The next events of a replay. */
export interface NextEvents {
  readonly found: readonly ReplayedEvent[];
  /** All up to it are among them, but those that have arrived. */
  readonly upTo: number;
}

/**
 * The events that a replay would send between two positions that are a slice at most, oldest first.
 *
 * @param max events that are looked at: then `upTo` is the last of them
 */
export async function replayedEvents(on: Queryable, events: ReplayedEvents, max: number): Promise<NextEvents> {
  const rows = await on.query(eventsSql, [...valuesOf(events), max]);
  const arrived = events.onlyMissed ? await arrivedOf(on, events.webhookId, rows) : new Set();
  const found = rows.filter(({ id }) => !arrived.has(id));
  return { found, upTo: (rows.length === max ? rows.at(-1)?.position : null) ?? events.upTo };
}

async function countSlice(on: Queryable, events: ReplayedEvents): Promise<number> {
  if (events.onlyMissed) return (await replayedEvents(on, events, REPLAY_SLICE_POSITIONS)).found.length;
  const [row] = await on.query(countSql, valuesOf(events));
  return row?.count ?? 0;
}

async function arrivedOf(
  on: Queryable,
  webhookId: string,
  events: readonly ReplayedEvent[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query(arrivedSql, [webhookId, events.map(({ id }) => id)]);
  return new Set(rows.map(({ id }) => id));
}

/** The ids of those events that wait for their first attempt at the webhook, by themselves or by a replay: they are about to be sent. */
export async function waitingOf(
  on: Queryable,
  webhookId: string,
  events: readonly ReplayedEvent[],
): Promise<ReadonlySet<string>> {
  const rows = await on.query(waitingSql, [webhookId, events.map(({ position }) => position)]);
  return new Set(rows.map(({ id }) => id));
}

/** Queues deliveries of events, those of them that are kept still. */
export async function queueReplay(
  tx: Transaction,
  { organizationId, webhookId, replayId }: ReplayedEvents,
  eventIds: readonly string[],
): Promise<void> {
  if (eventIds.length > 0) await tx.query(queueSql, [organizationId, webhookId, replayId, eventIds]);
}

function valuesOf({ organizationId, after, upTo, types, since, until }: ReplayedEvents): readonly unknown[] {
  return [organizationId, after, upTo, types, since, until];
}
