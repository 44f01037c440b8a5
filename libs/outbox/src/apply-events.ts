import { context, SpanKind, trace } from '@opentelemetry/api';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { DeliveredEvent, Disposition } from '@switchboard/nats';
import {
  statement,
  withConflictRetries,
  type Database,
  type LockWaitMs,
  type Transaction,
} from '@switchboard/postgres';
import { backoffMs } from '@switchboard/timing';
import { consumerMetrics } from './consumer-metrics.js';
import { buryEvent, takeLetters } from './dead-letter.js';
import { forgetFailures } from './event-failures.js';
import { INBOX_RETENTION_DAYS } from './keep-partitions.js';

/** Whether an event was delivered, or is a dead letter that is driven again. */
export type EventOrigin = 'delivery' | 'dead-letter';

/** How a consumer's events reach its effect. */
export interface BatchHandler<Prepared> {
  readonly database: Database;
  /** The durable consumer's name: the inbox is per consumer. */
  readonly consumer: string;
  /**
   * What must be asked of other services, outside of the transaction. It is asked again for the same events when their transaction met a
   * conflict, and for each half of a batch that failed: so it must bear to be repeated.
   */
  prepare(events: readonly DeliveredEvent[]): Promise<Prepared>;
  /**
   * The effect, in the transaction of the inbox rows; gets only events that were never applied.
   *
   * @param origin whether they are delivered, or dead letters that are driven again
   * @returns ids of events that must wait (what they speak of is not here yet); they are not in the inbox
   */
  apply(
    tx: Transaction,
    events: readonly DeliveredEvent[],
    prepared: Prepared,
    origin: EventOrigin,
  ): Promise<ReadonlySet<string>>;
  /**
   * An event that must wait stays in this process and is tried again when one of its aggregate was applied, or after so long. By
   * default it is given back to the broker.
   */
  readonly parkMs?: number | undefined;
  /** Whose rows an event touches: what is locked of one line holds up no other. The organization by default. */
  readonly lineOf?: ((envelope: EventEnvelope) => string) | undefined;
  /** Called when an event is given up. */
  onDead(event: DeliveredEvent, error: unknown): void;
  /** Called when something is away for some lines of a batch alone, which are tried again after a pause. @param away errors by line */
  onLinesAway(away: ReadonlyMap<string, unknown>): void;
}

/** A batch of what is delivered, or of dead letters that are driven again. */
export interface BatchSpec<Prepared> {
  readonly handler: BatchHandler<Prepared>;
  readonly origin: EventOrigin;
}

/** How events are applied in one transaction. */
export interface RunSpec<Prepared> extends BatchSpec<Prepared> {
  /** See `TransactionOptions`. */
  readonly lockWaitMs: LockWaitMs;
}

/** What came of a transaction. */
export interface AppliedEvents {
  /** As many as events, in their order. */
  readonly dispositions: Disposition[];
  /** How many had an effect: 0 when all were applied before, or must wait. */
  readonly applied: number;
  /** What the transaction took. */
  readonly tookMs: number;
}

/** Before one that waits is: its deliveries may be those of an outage. */
export const WAITING_BACKOFF = { firstMs: 250, maxMs: 5_000 };
const STILL_WAITING = 'what it speaks of is not here yet';
const insertInbox = statement<{ eventId: string }>(
  'inbox.insert',
  `INSERT INTO inbox (event_id, consumer) SELECT id, $2 FROM unnest($1::text[]) AS id ORDER BY id
   ON CONFLICT DO NOTHING RETURNING event_id AS "eventId"`,
);
/** A letter older than the inbox has no day in it, and needs none: it is removed in the same transaction. */
const insertRedriven = statement<{ eventId: string }>(
  'inbox.insert-redriven',
  `WITH given AS (
     SELECT id, id COLLATE "C" < cuid_floor(
       (date_trunc('day', now() AT TIME ZONE 'UTC') - make_interval(days => $3)) AT TIME ZONE 'UTC') AS is_archived
     FROM unnest($1::text[]) AS id),
   written AS (
     INSERT INTO inbox (event_id, consumer) SELECT id, $2 FROM given WHERE NOT is_archived ORDER BY id
     ON CONFLICT DO NOTHING RETURNING event_id)
   SELECT event_id AS "eventId" FROM written UNION ALL SELECT id FROM given WHERE is_archived`,
);
const removeInbox = statement('inbox.remove', 'DELETE FROM inbox WHERE event_id = ANY($1::text[]) AND consumer = $2');
const tracer = trace.getTracer('@switchboard/outbox');

/**
 * Takes an event for a consumer that applies it in this transaction without its delivery; what is delivered later is dropped.
 *
 * @returns false when it was applied already
 */
export async function takeEvent(tx: Transaction, consumer: string, eventId: string): Promise<boolean> {
  const taken = await tx.query(insertInbox, [[eventId], consumer]);
  return taken.length > 0;
}

/** Applies the events in one transaction; again after a deadlock or a serialization failure, at most 3 times. */
export async function applyEvents<Prepared>(
  run: RunSpec<Prepared>,
  events: readonly DeliveredEvent[],
): Promise<AppliedEvents> {
  return withConflictRetries(() => applyMeasured(run, events));
}

async function applyMeasured<Prepared>(
  run: RunSpec<Prepared>,
  events: readonly DeliveredEvent[],
): Promise<AppliedEvents> {
  const startedMs = performance.now();
  try {
    return await applyTraced(run, events);
  } finally {
    consumerMetrics().ran(run.handler.consumer, events.length, performance.now() - startedMs);
  }
}

/** One consumer span per batch: a child of the first traced event, linked with the others. */
async function applyTraced<Prepared>(
  run: RunSpec<Prepared>,
  events: readonly DeliveredEvent[],
): Promise<AppliedEvents> {
  const sampled = events.flatMap(({ context: own }) => {
    const spanContext = trace.getSpanContext(own);
    return spanContext && (spanContext.traceFlags & 1) === 1 ? [{ own, spanContext }] : [];
  });
  const [first, ...others] = sampled;
  if (!first) return apply(run, events);
  const links = others.map(({ spanContext }) => ({ context: spanContext }));
  const span = tracer.startSpan(`consume ${run.handler.consumer}`, { kind: SpanKind.CONSUMER, links }, first.own);
  try {
    return await context.with(trace.setSpan(first.own, span), () => apply(run, events));
  } finally {
    span.end();
  }
}

async function apply<Prepared>(
  { handler, origin, lockWaitMs }: RunSpec<Prepared>,
  events: readonly DeliveredEvent[],
): Promise<AppliedEvents> {
  const prepared = await handler.prepare(events);
  const begunMs = performance.now();
  const { waiting, applied, isSettled } = await handler.database.transaction(
    async (tx) => {
      const given = new Set(events.map(({ envelope }) => envelope.id));
      const taken = origin === 'delivery' ? given : await takeLetters(tx, handler.consumer, [...given]);
      const rows =
        origin === 'delivery'
          ? await tx.query(insertInbox, [[...taken], handler.consumer])
          : await tx.query(insertRedriven, [[...taken], handler.consumer, INBOX_RETENTION_DAYS]);
      const fresh = new Set(rows.map(({ eventId }) => eventId));
      const seen = new Set<string>();
      const unseen = events.filter(({ envelope: { id } }) => fresh.has(id) && !seen.has(id) && seen.add(id));
      const postponed = await handler.apply(tx, unseen, prepared, origin);
      if (origin === 'dead-letter') {
        const again = unseen.filter(({ envelope }) => postponed.has(envelope.id));
        for (const event of again) await buryEvent(tx, handler.consumer, event, STILL_WAITING);
      } else {
        if (postponed.size > 0) tx.atCommit(removeInbox, [[...postponed], handler.consumer]);
        const done = unseen.filter(({ envelope, deliveries }) => deliveries > 1 && !postponed.has(envelope.id));
        forgetFailures(
          tx,
          handler.consumer,
          done.map(({ envelope }) => envelope.id),
        );
      }
      // A letter that must wait still has lost its mark; one that another replica works on is left to it.
      const isSettled = (id: string): boolean => (origin === 'delivery' ? !postponed.has(id) : taken.has(id));
      return { waiting: postponed, applied: unseen.length - postponed.size, isSettled };
    },
    { hasShortLocks: true, lockWaitMs },
  );
  const tookMs = performance.now() - begunMs;
  const { handled } = consumerMetrics();
  handled(handler.consumer, 'applied', applied);
  handled(handler.consumer, 'waiting', waiting.size);
  handled(handler.consumer, 'duplicate', events.length - applied - waiting.size);
  const dispositions = events.map((event): Disposition => {
    if (isSettled(event.envelope.id)) return { ack: true };
    const retryAfterMs = backoffMs(event.deliveries, WAITING_BACKOFF);
    return handler.parkMs === undefined ? { retryAfterMs } : { retryAfterMs, parkMs: handler.parkMs };
  });
  return { dispositions, applied, tookMs };
}
