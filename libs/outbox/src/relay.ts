import { setTimeout as wait } from 'node:timers/promises';
import { context, SpanKind, trace, TraceFlags } from '@opentelemetry/api';
import { contextOfTraceparent, type StoredEvent } from '@switchboard/nats';
import { prepared, statement, type Database } from '@switchboard/postgres';
import { publishingWaves, type OutboxRow } from './publishing-waves.js';
import { relayMetrics } from './relay-metrics.js';

/** How a service's relay works. */
export interface RelayOptions {
  readonly database: Database;
  /** Names the advisory lock and the spans; the service's schema. */
  readonly service: string;
  /** Resolves when the broker has the event; the message id makes a repetition harmless. */
  readonly publish: (event: StoredEvent) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Events claimed at once. */
  readonly batchMax?: number;
}

const BATCH_MAX = 1_000;
/** Poll interval while nothing is pending: it bounds the delay of events that another replica wrote. */
const IDLE_PAUSE_MS = 20;
/** How often a replica without the lock asks for it. */
const STANDBY_PAUSE_MS = 500;
const ERROR_PAUSE_MS = 500;

const tryLock = statement<{ locked: boolean }>(
  'outbox.lock',
  'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked',
);
/** In the order of `position`; a partial index per day, so that published days cost nothing. */
const pending = statement<OutboxRow>(
  'outbox.pending',
  `SELECT id, position, aggregate_id AS "aggregateId", subject, payload, traceparent FROM outbox
   WHERE published_at IS NULL ORDER BY position LIMIT $1`,
);
const markPublished = statement(
  'outbox.mark-published',
  'UPDATE outbox SET published_at = now() WHERE id = ANY($1::text[])',
);

const tracer = trace.getTracer('@switchboard/outbox');

/**
 * Publishes a service's outbox, in order within each aggregate, at least once.
 *
 * One relay per service works at a time, under a session's advisory lock; the others stand by. It polls what is not
 * published and never «id greater than the last seen», which loses events under concurrent commits.
 */
export class Relay {
  private readonly stopSignal = new AbortController();
  private running: Promise<void> | undefined;
  private wakeUp: (() => void) | undefined;
  private readonly metrics = relayMetrics();

  constructor(private readonly options: RelayOptions) {}

  start(): void {
    this.running ??= this.loop();
  }

  /** Finishes the batch under way. */
  async stop(): Promise<void> {
    this.stopSignal.abort();
    await this.running;
  }

  /** Tells that events were committed, so that they leave without waiting for the next poll. */
  wake(): void {
    this.wakeUp?.();
  }

  private get stopping(): boolean {
    return this.stopSignal.signal.aborted;
  }

  private async loop(): Promise<void> {
    while (!this.stopping) {
      try {
        await this.lead();
      } catch (error) {
        this.options.onError(error);
        await this.pause(ERROR_PAUSE_MS * (0.5 + Math.random()), 'until stopped');
      }
    }
  }

  /** Holds the lock on a connection of its own: when that connection dies, the lock is free for another. */
  private async lead(): Promise<void> {
    const client = await this.options.database.connect();
    const lost = new AbortController();
    const onLost = (): void => lost.abort();
    client.on('error', onLost).on('end', onLost);
    try {
      const values = [`${this.options.service}.outbox`];
      const { rows } = await client.query<{ locked: boolean }>(prepared(tryLock, values));
      if (!rows[0]?.locked) return await this.pause(STANDBY_PAUSE_MS, 'until stopped');
      while (!this.stopping && !lost.signal.aborted) {
        const { rows: batch } = await client.query<OutboxRow>(prepared(pending, [this.options.batchMax ?? BATCH_MAX]));
        if (batch.length === 0) await this.pause(IDLE_PAUSE_MS, 'until woken');
        else await this.publish(batch);
      }
    } finally {
      client.removeListener('error', onLost).removeListener('end', onLost);
      // Closing the session is what frees the lock.
      client.release(true);
    }
  }

  /** Publishes a batch in waves and marks what the broker has; a failure ends the batch for its own aggregate alone. */
  private async publish(batch: readonly OutboxRow[]): Promise<void> {
    const published: string[] = [];
    const failed = new Set<string>();
    let failure: unknown;
    for (const whole of publishingWaves(batch)) {
      const wave = whole.filter(({ aggregateId }) => !failed.has(aggregateId));
      const results = await Promise.allSettled(wave.map((row) => this.publishTraced(row)));
      results.forEach((result, index) => {
        const row = wave[index];
        if (!row) return;
        if (result.status === 'fulfilled') return void published.push(row.id);
        failed.add(row.aggregateId);
        failure = result.reason;
      });
    }
    this.metrics.failed(failed.size);
    if (published.length > 0) await this.options.database.query(markPublished, [published]);
    this.metrics.published(published.length);
    if (failure !== undefined) throw failure;
  }

  private async publishTraced(row: OutboxRow): Promise<void> {
    const parent = contextOfTraceparent(row.traceparent);
    const sampled = ((trace.getSpanContext(parent)?.traceFlags ?? 0) & TraceFlags.SAMPLED) !== 0;
    if (!sampled) return this.options.publish(row);
    const span = tracer.startSpan(`relay ${row.subject}`, { kind: SpanKind.PRODUCER }, parent);
    const { traceId, spanId } = span.spanContext();
    try {
      await context.with(trace.setSpan(parent, span), () =>
        this.options.publish({ ...row, traceparent: `00-${traceId}-${spanId}-01` }),
      );
    } finally {
      span.end();
    }
  }

  /** A commit ends the pause of an idle leader only: a session per commit is no help while the broker is away. */
  private async pause(durationMs: number, end: 'until woken' | 'until stopped'): Promise<void> {
    const over = new AbortController();
    const onEnd = (): void => over.abort();
    this.stopSignal.signal.addEventListener('abort', onEnd);
    if (end === 'until woken') this.wakeUp = onEnd;
    if (!this.stopping) await untilAborted(durationMs, over.signal);
    this.wakeUp = undefined;
    this.stopSignal.signal.removeEventListener('abort', onEnd);
  }
}

/** Waits, or returns early when the signal aborts. */
async function untilAborted(durationMs: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(durationMs, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
