import { context, SpanKind, trace, TraceFlags } from '@opentelemetry/api';
import { contextOfTraceparent, Unpublishable, type EventPublisher, type PublishAck } from '@switchboard/nats';
import { backoffMs, endsWithin } from '@switchboard/timing';
import type { RelayLedger, RelayState } from './relay-ledger.js';
import type { OutboxRow, RelayTurn, StoredRow } from './relay-turn.js';

/** What a relay needs of the broker. */
export type EventBroker = Pick<EventPublisher, 'stream' | 'isDoubtful' | 'streamState' | 'publish'>;

type Marks = Pick<RelayTurn, 'epoch' | 'lastSequence' | 'stored' | 'marks'>;

/** What became of publications. */
export interface PublishingReports {
  published(events: number): void;
  /** The publication failed and is tried again. */
  failed(error: unknown): void;
  /** The event can never be published; it is a dead letter now. */
  buried(row: OutboxRow, error: Unpublishable): void;
  /** An aggregate that the last batch left under way may go on. */
  freed(): void;
}

/** The stream has lost what was acknowledged, or was lost while it was published to. */
export class StreamShrunk extends Error {
  override readonly name = 'StreamShrunk';
}

/** So long a batch is waited for; what is still under way then continues along with the next one. */
const SLICE_MS = 250;
/** Marks are written together: so many at once, or after so long. */
const MARKS_MIN = 200;
const MARK_WITHIN_MS = 1_000;
/** Aggregates that may be under way or paused along with the others. More is no matter of aggregates any more. */
const ASIDE_MAX = 100;
const BACKOFF = { firstMs: 500, maxMs: 30_000 };
const END_WITHIN_MS = 2_000;

const tracer = trace.getTracer('@switchboard/outbox');

/**
 * Publishes rows: those of an aggregate one after the other, each when the former is stored; aggregates side by side.
 *
 * So a lost publication never lets a later event of its aggregate overtake it, and an aggregate that fails or hangs is
 * set aside, for 0.5 s, doubled up to 30 s, without holding up any other. What is stored is marked by the caller, many at
 * once.
 */
export class Publishing {
  /** By aggregate: a publication is under way. */
  private readonly busy = new Map<string, Promise<void>>();
  /** Of them, those that their batch has left under way. */
  private readonly late = new Set<string>();
  private readonly paused = new Map<string, { readonly untilMs: number; readonly failures: number }>();
  private readonly stored: StoredRow[] = [];
  private storedSinceMs = Infinity;
  private highestRead = 0;
  private firstSequence = 0;
  private highest: number;
  private shrunk: StreamShrunk | undefined;
  private failed = false;
  private isEnding = false;

  constructor(
    private readonly broker: EventBroker,
    private readonly ledger: RelayLedger,
    private state: RelayState,
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

  /** The stream as it must be at least: as it was recorded, and with what it has acknowledged since. */
  get expected(): Pick<RelayState, 'created' | 'lastSequence'> {
    return { created: this.state.created, lastSequence: this.highest };
  }

  /** Position of the last event that was read. */
  get highestPosition(): number {
    return this.highestRead;
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

  /** How long until an aggregate that was paused at `sinceMs` may be tried; Infinity when none was. */
  untilNextTryMs(sinceMs: number): number {
    const ends = [...this.paused.values()].flatMap(({ untilMs }) => (untilMs > sinceMs ? [untilMs] : []));
    return Math.max(0, Math.min(...ends) - performance.now());
  }

  /** What is to be marked: all that is stored; with `when due` none of it until it is much or has waited long. */
  marks(which: 'all' | 'when due'): Marks {
    const { stored } = this;
    const isDue =
      which === 'all' || stored.length >= MARKS_MIN || performance.now() - this.storedSinceMs >= MARK_WITHIN_MS;
    return { epoch: this.epoch, lastSequence: this.highest, stored: [...stored], marks: isDue ? stored.length : 0 };
  }

  /** Forgets the events whose marks were written. */
  marked({ marks }: Marks): void {
    if (marks === 0) return;
    this.stored.splice(0, marks);
    this.storedSinceMs = this.stored.length > 0 ? performance.now() : Infinity;
    this.reports.published(marks);
  }

  /** Takes over what is recorded of the same stream now. */
  continueWith(state: RelayState): void {
    this.state = state;
    this.heard(state.lastSequence);
  }

  /** The stream holds nothing below it (any more). */
  beginsAt(firstSequence: number): void {
    this.firstSequence = firstSequence;
  }

  /** What another relay has recorded meanwhile counts for this one, too. */
  heard(lastSequence: number): void {
    this.highest = Math.max(this.highest, lastSequence);
  }

  /** Publishes rows, in the order of their positions. Returns after 250 ms; what is under way then goes on. */
  async run(rows: readonly OutboxRow[]): Promise<void> {
    const begun = [...Map.groupBy(rows, ({ aggregateId }) => aggregateId)].map(([aggregateId, chain]) => {
      const ended = this.publishChain(aggregateId, chain);
      this.busy.set(aggregateId, ended);
      return ended;
    });
    this.highestRead = Math.max(this.highestRead, Number(rows.at(-1)?.position ?? 0));
    await endsWithin(Promise.all(begun), SLICE_MS);
    while (this.busy.size > ASIDE_MAX && !this.over.aborted) {
      await endsWithin(Promise.race(this.busy.values()), SLICE_MS);
    }
    for (const aggregateId of this.busy.keys()) this.late.add(aggregateId);
  }

  /** @throws StreamShrunk; Error when so much fails that it must be the broker */
  check(): void {
    if (this.shrunk) throw this.shrunk;
    if (this.paused.size > ASIDE_MAX) throw new Error(`publications of ${this.paused.size} aggregates fail`);
  }

  /** Begins no further publication, and marks what is stored within 2 s: what is not is published again. */
  async end(): Promise<void> {
    this.isEnding = true;
    await endsWithin(Promise.all(this.busy.values()), END_WITHIN_MS);
    const marks = this.marks('all');
    if (marks.marks > 0 && (await this.ledger.mark(marks))) this.marked(marks);
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
    this.busy.delete(aggregateId);
    if (this.late.delete(aggregateId)) this.reports.freed();
  }

  private async publishOrBury(row: OutboxRow): Promise<void> {
    const before = this.highest;
    try {
      const { sequence, duplicate } = await this.publishHeld(row);
      // The broker counts on: a new event at or below what it had acknowledged before says that it has lost those.
      if (!duplicate && sequence <= before) throw new StreamShrunk(`the stream went back to ${sequence}`);
      this.highest = Math.max(this.highest, sequence);
      if (this.stored.length === 0) this.storedSinceMs = performance.now();
      this.stored.push({ id: row.id, position: row.position });
    } catch (error) {
      if (!(error instanceof Unpublishable)) throw error;
      await this.ledger.bury(row, error.message);
      this.reports.buried(row, error);
    }
  }

  /** The broker knows an id for two minutes, also of what was purged meanwhile: it takes such an event under another one. */
  private async publishHeld(row: OutboxRow): Promise<PublishAck> {
    const ack = await this.publishTraced(row);
    const isGone = ack.duplicate && ack.sequence < this.firstSequence;
    return isGone ? this.publishTraced({ ...row, id: `${row.id}-${this.firstSequence}` }) : ack;
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
