import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Budget } from '@switchboard/nats';
import { statement, type Queryable, type Transaction } from '@switchboard/postgres';
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

/** An event of a replay. */
export interface ReplayedEvent {
  readonly id: string;
  readonly position: number;
}

/** Positions that one statement looks at: with `onlyMissed` each takes some look-ups. */
export const REPLAY_SLICE_POSITIONS = 5_000;
/** Kept back of the caller's time, for the last slice and the answer. */
const LEFT_MS_MIN = 5_000;
const ARRIVED = `a.outcome = 'SUCCEEDED' AND a.id >= $9`;
/**
 * Whether an event has arrived is looked up for each: sent by itself, or again by hand, under the id that follows from event and webhook
 * (`storeEvents`), by `attempt_delivery`; what a replay has sent by `attempt_again`. OFFSET keeps both look-ups: all attempts would be
 * hashed. The webhook by itself is no key of them: planned for a day that is empty, they would read all attempts of the webhook by the
 * primary key.
 */
const FILTER = `e.organization_id = $1 AND e.position > $2 AND e.position <= $3 AND e.type = ANY ($4::text[])
  AND e.occurred_at >= $5::timestamptz AND ($6::timestamptz IS NULL OR e.occurred_at < $6)
  AND NOT ($7 AND (
    EXISTS (SELECT FROM attempt a
      WHERE a.delivery_id = substr(e.id, 1, 9) || substr(md5(e.id || $8), 1, 16)
        AND a.webhook_id || '' = $8 AND ${ARRIVED} OFFSET 0)
    OR EXISTS (SELECT FROM attempt a
      WHERE a.webhook_id || ' ' || a.event_id = $8 || ' ' || e.id AND a.kind <> 'AUTOMATIC' AND ${ARRIVED} OFFSET 0)))`;
/** No attempt of a slice's events is older than the first of them, but for clocks. */
const floorSql = statement<{ floor: string }>(
  'webhooks.replay.floor',
  `SELECT coalesce(cuid_floor(min(occurred_at) - interval '1 hour'), 'c') AS floor FROM event
   WHERE organization_id = $1 AND position > $2 AND position <= $3`,
);
const countSql = statement<{ count: number }>(
  'webhooks.replay.count',
  `SELECT count(*)::integer AS count FROM event e WHERE ${FILTER}`,
);
const eventsSql = statement<ReplayedEvent>(
  'webhooks.replay.events',
  `SELECT e.id, e.position::float8 AS position FROM event e WHERE ${FILTER} ORDER BY e.position LIMIT $10`,
);
const queueSql = statement(
  'webhooks.replay.queue',
  `INSERT INTO delivery (webhook_id, id, organization_id, event_id, type, line, position, body_bytes, kind, due_at)
   SELECT $2, substr($3, 1, 9) || substr(md5(e.id || $3), 1, 16), e.organization_id, e.id, e.type, e.line, e.position,
     octet_length(e.body), 'REPLAY', now()
   FROM unnest($4::text[]) AS replayed (id) JOIN event e ON e.id = replayed.id AND e.organization_id = $1
   ORDER BY e.position
   ON CONFLICT DO NOTHING`,
);

/**
 * How many events a replay would send.
 *
 * @throws VALIDATION_FAILED when counting leaves less than 5 s of the caller's time
 */
export async function countReplay(
  on: Queryable,
  events: ReplayedEvents,
  budget: Pick<Budget, 'leftMs'>,
): Promise<number> {
  let count = 0;
  for await (const slice of slicesOf(on, events, REPLAY_SLICE_POSITIONS)) {
    if (budget.leftMs < LEFT_MS_MIN) {
      throw new AppError(
        serviceErrors.VALIDATION_FAILED,
        'The period has too many events to count: choose a shorter one',
      );
    }
    const [row] = await on.query(countSql, await valuesOf(on, { ...events, ...slice }));
    count += row?.count ?? 0;
  }
  return count;
}

/** The first events that a replay would send between two positions that are a slice at most, oldest first. */
export async function replayedEvents(
  on: Queryable,
  events: ReplayedEvents,
  limit: number,
): Promise<readonly ReplayedEvent[]> {
  return on.query(eventsSql, [...(await valuesOf(on, events)), limit]);
}

/** Queues deliveries of events, those of them that are kept still. */
export async function queueReplay(
  tx: Transaction,
  { organizationId, webhookId, replayId }: ReplayedEvents,
  eventIds: readonly string[],
): Promise<void> {
  if (eventIds.length > 0) await tx.query(queueSql, [organizationId, webhookId, replayId, eventIds]);
}

async function valuesOf(on: Queryable, events: ReplayedEvents): Promise<readonly unknown[]> {
  const { organizationId, after, upTo, types, since, until, onlyMissed, webhookId } = events;
  const [row] = onlyMissed ? await on.query(floorSql, [organizationId, after, upTo]) : [];
  return [organizationId, after, upTo, types, since, until, onlyMissed, webhookId, row?.floor ?? 'c'];
}
