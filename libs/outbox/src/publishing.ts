import { context, SpanKind, trace, TraceFlags } from '@opentelemetry/api';
import { contextOfTraceparent, Unpublishable, type EventPublisher, type PublishAck } from '@switchboard/nats';
import { backoffMs, endsWithin } from '@switchboard/timing';
import type { OutboxRow, RelayLedger, RelayState } from './relay-ledger.js';

/** What a relay needs of the broker. */
export type EventBroker = Pick<EventPublisher, 'stream' | 'isDoubtful' | 'streamState' | 'publish'>;

/** What became of publications. */
export interface PublishingReports {
  published(events: number): void;
  /** The publication failed and is tried again. */
  failed(error: unknown): void;
  /** The event can never be published; it is a dead letter now. */
  buried(row: OutboxRow, error: Unpublishable): void;
}

/** The stream has lost what was acknowledged, or was lost while it was published to. */
export class StreamShrunk extends Error {
  override readonly name = 'StreamShrunk';
}

/** After so long a batch is marked with what the broker has; what is still under way continues along with the next one. */
const SLICE_MS = 250;
/** Aggregates that may be under way or paused along with the others. More is no matter of aggregates any more. */
const ASIDE_MAX = 100;
const BACKOFF = { firstMs: 500, maxMs: 30_000 };
const END_WITHIN_MS = 2_000;

const tracer = trace.getTracer('@switchboard/outbox');

/**
 * Publishes rows: those of an aggregate one after the other, each when the former is stored; aggregates side by side.
 *
 * So a lost publication never lets a later event of its aggregate overtake it, and an aggregate that fails or hangs is
 * set aside, for 0.5 s, doubled up to 30 s, without holding up any other.
 */
export class Publishing {
  /** By aggregate: a publication is under way, or stored and not marked yet. */
  private readonly busy = new Map<string, Promise<void>>();
  private readonly paused = new Map<string, { readonly untilMs: number; readonly failures: number }>();
  private stored: string[] = [];
  private ended: string[] = [];
  private highest: number;
  private shrunk: StreamShrunk | undefined;
  private failed = false;
  private isEnding = false;

  constructor(
    private readonly broker: EventBroker,
    private readonly ledger: RelayLedger,
    private readonly state: RelayState,
    /** Aborts when no further publication may begin. */
    private readonly over: AbortSignal,
    private readonly reports: PublishingReports,
  ) {
    this.highest = state.lastSequence;
  }

  /** Of the stream that it publishes to. */
  get epoch(): number {
    return this.state.epoch;
  }

  /** Whether a publication has failed since this was asked last. */
  hasFailed(): boolean {
    const { failed } = this;
    this.failed = false;
    return failed;
  }

  /** Aggregates whose events must not be begun now. */
  aside(): string[] {
    const nowMs = performance.now();
    const paused = [...this.paused].filter(([, { untilMs }]) => untilMs > nowMs);
    return [...this.busy.keys(), ...paused.map(([aggregateId]) => aggregateId)];
  }

  /** Publishes rows, in the order of their positions, and marks what the broker has. @throws as `mark` */
  async run(rows: readonly OutboxRow[]): Promise<void> {
    const begun = [...Map.groupBy(rows, ({ aggregateId }) => aggregateId)].map(([aggregateId, chain]) => {
      const ended = this.publishChain(aggregateId, chain);
      this.busy.set(aggregateId, ended);
      return ended;
    });
    await endsWithin(Promise.all(begun), SLICE_MS);
    await this.mark();
    while (this.busy.size > ASIDE_MAX && !this.over.aborted) {
      await endsWithin(Promise.all(this.busy.values()), SLICE_MS);
      await this.mark();
    }
  }

  /** Marks what the broker has. @throws StreamShrunk; Error when so much fails that it must be the broker */
  async mark(): Promise<void> {
    const { stored, ended } = this;
    this.stored = [];
    this.ended = [];
    try {
      if (stored.length > 0) {
        if (!(await this.ledger.advance(this.state.epoch, stored, this.highest))) {
          throw new StreamShrunk('another relay has found that the stream was lost');
        }
        this.reports.published(stored.length);
      }
    } finally {
      for (const aggregateId of ended) this.busy.delete(aggregateId);
    }
    if (this.shrunk) throw this.shrunk;
    if (this.paused.size > ASIDE_MAX) throw new Error(`publications of ${this.paused.size} aggregates fail`);
  }

  /** Begins no further publication, and marks what is stored within 2 s: what is not is published again. */
  async end(): Promise<void> {
    this.isEnding = true;
    await endsWithin(Promise.all(this.busy.values()), END_WITHIN_MS);
    await this.mark();
  }

  /** Never rejects. */
  private async publishChain(aggregateId: string, chain: readonly OutboxRow[]): Promise<void> {
    try {
      for (const row of chain) {
        if (this.isEnding || this.over.aborted) break;
        await this.publishOrBury(row);
      }
      this.paused.delete(aggregateId);
    } catch (error) {
      const failures = (this.paused.get(aggregateId)?.failures ?? 0) + 1;
      this.paused.set(aggregateId, { untilMs: performance.now() + backoffMs(failures, BACKOFF), failures });
      this.failed = true;
      if (error instanceof StreamShrunk) this.shrunk = error;
      this.reports.failed(error);
    }
    this.ended.push(aggregateId);
  }

  private async publishOrBury(row: OutboxRow): Promise<void> {
    const before = this.highest;
    try {
      const { sequence, duplicate } = await this.publishTraced(row);
      // The broker counts on: a new event at or below what it had acknowledged before says that it has lost those.
      if (!duplicate && sequence <= before) throw new StreamShrunk(`the stream went back to ${sequence}`);
      this.highest = Math.max(this.highest, sequence);
      this.stored.push(row.id);
    } catch (error) {
      if (!(error instanceof Unpublishable)) throw error;
      await this.ledger.bury(row, error.message);
      this.reports.buried(row, error);
    }
  }

  private async publishTraced(row: OutboxRow): Promise<PublishAck> {
    const parent = contextOfTraceparent(row.traceparent);
    const sampled = ((trace.getSpanContext(parent)?.traceFlags ?? 0) & TraceFlags.SAMPLED) !== 0;
    if (!sampled) return this.broker.publish(row);
    const span = tracer.startSpan(`relay ${row.subject}`, { kind: SpanKind.PRODUCER }, parent);
    const { traceId, spanId } = span.spanContext();
    try {
      return await context.with(trace.setSpan(parent, span), () =>
        this.broker.publish({ ...row, traceparent: `00-${traceId}-${spanId}-01` }),
      );
    } finally {
      span.end();
    }
  }
}
