import { metrics, type Attributes } from '@opentelemetry/api';
import { endsWithin } from '@switchboard/timing';
import { systemClock, type Clock } from './clock.js';
import { countFailedRound, showFailedRounds } from './failed-rounds.js';
import type { Log } from './logger.js';

/** A value that costs a question to a server, for gauges. */
export interface CachedGaugeSpec<Value> {
  /** What is read, for the log. */
  readonly name: string;
  readonly read: () => Promise<Value>;
  readonly log: Log;
  readonly clock?: Clock;
  /** How long a scrape waits for it; 2.5 s by default. */
  readonly deadlineMs?: number;
}

/** A point of a gauge; labels are bounded sets, never an id, a phone or a text. */
export interface GaugePoint {
  readonly value: number;
  readonly labels?: Attributes;
}

/** So long a value is served from the cache, however often it is scraped. */
const FRESH_MS = 5_000;
/** Longer than a readiness check may take, and far below what a scraper waits. */
const DEADLINE_MS = 2_500;
const FAILURE_EVENT = 'metrics.reading-failed';

/**
 * A value read when somebody scrapes: at most once in 5 s, never twice at once, never waited for longer than 2.5 s.
 *
 * A failure is logged once until it works again, and leaves its gauges without points. So does one that comes too late. Each is counted
 * as a round that failed, for no alert over these gauges sees anything meanwhile.
 */
export class CachedGauge<Value> {
  private value: Value | null = null;
  private begunMs = -Infinity;
  private underway: Promise<void> | undefined;
  private isFailing = false;

  constructor(private readonly spec: CachedGaugeSpec<Value>) {
    showFailedRounds(FAILURE_EVENT);
  }

  /** Null when there is none: it failed, or does not come in time. Never rejects. */
  async current(): Promise<Value | null> {
    const nowMs = this.monotonic();
    if (!this.underway && nowMs - this.begunMs >= FRESH_MS) {
      this.begunMs = nowMs;
      this.underway = this.take().finally(() => (this.underway = undefined));
    }
    if (!this.underway) return this.value;
    return (await endsWithin(this.underway, this.deadlineMs)) ? this.value : null;
  }

  /** Shows the value as a gauge. Made after `startMetrics`, as every instrument. */
  observeAs(name: string, description: string, pointsOf: (value: Value) => readonly GaugePoint[]): void {
    const gauge = metrics.getMeter('@switchboard/platform').createObservableGauge(name, { description });
    gauge.addCallback(async (result) => {
      const value = await this.current();
      if (value === null) return;
      for (const point of pointsOf(value)) result.observe(point.value, point.labels);
    });
  }

  private async take(): Promise<void> {
    const { read } = this.spec;
    // Gauges of the same scrape are observed first: they would show our own questions as waiting for a connection.
    await Promise.resolve();
    try {
      this.value = await read();
      const tookMs = this.monotonic() - this.begunMs;
      if (tookMs > this.deadlineMs)
        this.failed(new Error(`it took ${Math.round(tookMs)} ms, for which no scrape waits`));
      else this.isFailing = false;
    } catch (error) {
      this.value = null;
      this.failed(error);
    }
  }

  private failed(error: unknown): void {
    const { name, log } = this.spec;
    countFailedRound(FAILURE_EVENT);
    if (!this.isFailing) log.error(FAILURE_EVENT, error, { reading: name });
    this.isFailing = true;
  }

  private monotonic(): number {
    return (this.spec.clock ?? systemClock).monotonic();
  }

  private get deadlineMs(): number {
    return this.spec.deadlineMs ?? DEADLINE_MS;
  }
}
