import { ThrottledLog, type WakeUps } from '@switchboard/nats';
import type { Database, Queryable } from '@switchboard/postgres';
import { WakeSignal } from '@switchboard/timing';
import type { EventBroker } from './publishing.js';
import type { HistoryPace } from './history-replay.js';
import { RelayLead } from './relay-lead.js';
import { RelayLedger } from './relay-ledger.js';
import { relayMetrics } from './relay-metrics.js';
import type { RelayReport } from './relay-report.js';
import { ServiceLead } from './service-lead.js';

/** How a service's relay works. */
export interface RelayOptions {
  readonly database: Database;
  /** Names the advisory lock; the service's schema. */
  readonly service: string;
  readonly broker: EventBroker;
  /** Called with what happens; failures are throttled while they last. */
  readonly report: (report: RelayReport) => void;
  /** Events claimed at once. */
  readonly batchMax?: number;
  /** Wakes the leader when a replica has committed events; without it these wait for its next poll. */
  readonly wakeUps?: Pick<WakeUps, 'send' | 'listen'>;
  /** Pause after which a relay that nothing has woken looks, ±50 %: an event whose wake-up was lost waits so long. 2 s by default. */
  readonly pollIntervalMs?: number;
  /** How fast events of a lost stream are published again; see `HistoryReplay`. */
  readonly historyPace?: HistoryPace;
}

/** Between two wake-ups for events without a waiting caller, at least. */
const LATER_MS = 75;
/** How long events wait for those that follow them closely. */
const SOON_MS = 20;

/**
 * Publishes a service's outbox, in order within each aggregate, at least once.
 *
 * One relay per service works at a time, under a session's advisory lock; the others stand by. Two at once, when a lock is
 * lost and taken while publications are under way, do no harm: each waits for an event to be stored before the next of its
 * aggregate, and the broker or the inboxes drop what comes twice. It polls what is not published and never «id greater than
 * the last seen», which loses events under concurrent commits.
 *
 * A stream that is not the one published to, or ends before what it had acknowledged, was lost: all that the outbox keeps is
 * published again, the newest first and the rest between new events. It is looked at when the lead is taken, over each new
 * connection, after a failure, and every second while there is work, with each poll otherwise.
 */
export class Relay {
  private readonly serviceLead: ServiceLead;
  private readonly signal = new WakeSignal();
  private isLeading = false;
  private laterTimer: NodeJS.Timeout | undefined;
  private soonTimer: NodeJS.Timeout | undefined;
  private wokenLaterMs = -Infinity;
  private readonly metrics = relayMetrics();
  private readonly failures: ThrottledLog;

  constructor(private readonly options: RelayOptions) {
    this.failures = new ThrottledLog((error) => options.report({ kind: 'failed', error }));
    this.serviceLead = new ServiceLead({
      database: options.database,
      name: `${options.service}.outbox`,
      work: async (over, through) => this.lead(over, through),
      onError: (error) => this.failures.failed(error),
    });
  }

  start(): void {
    this.serviceLead.start();
  }

  /** Finishes what is under way. */
  async stop(): Promise<void> {
    // Another replica leads, perhaps, and would publish these with its next poll alone.
    if (this.soonTimer) this.wake();
    clearTimeout(this.laterTimer);
    await this.serviceLead.stop();
  }

  /** Publishes events that were just committed without waiting for the next poll, whichever replica's relay leads. */
  wake(): void {
    clearTimeout(this.laterTimer);
    clearTimeout(this.soonTimer);
    this.laterTimer = this.soonTimer = undefined;
    if (this.isLeading) this.signal.wake();
    else this.options.wakeUps?.send();
  }

  /** As `wake`, for events that others follow closely: with these, or 20 ms later. */
  wakeSoon(): void {
    if (this.serviceLead.isStopping) this.wake();
    else this.soonTimer ??= setTimeout(() => this.wake(), SOON_MS);
  }

  /** As `wake`, for events without a waiting caller: after a quiet time at once, then with those of 75 ms. */
  wakeLater(): void {
    if (this.serviceLead.isStopping || this.laterTimer) return;
    const restMs = this.wokenLaterMs + LATER_MS - performance.now();
    if (restMs <= 0) return this.wakeTogether();
    this.laterTimer = setTimeout(() => this.wakeTogether(), restMs);
  }

  private wakeTogether(): void {
    this.wokenLaterMs = performance.now();
    this.wake();
  }

  private async lead(over: AbortSignal, through: Queryable): Promise<void> {
    const { broker, batchMax, pollIntervalMs, historyPace, report, wakeUps } = this.options;
    const { metrics, failures, signal } = this;
    const ledger = new RelayLedger(through, broker.stream);
    const limits = { batchMax, pollIntervalMs, historyPace };
    const lead = new RelayLead({ broker, ledger, metrics, failures, report, ...limits, signal });
    const endListening = wakeUps?.listen((topics) => {
      if (topics.length === 0) signal.wake();
    });
    this.isLeading = true;
    try {
      await lead.run(over);
    } finally {
      this.isLeading = false;
      endListening?.();
    }
  }
}
