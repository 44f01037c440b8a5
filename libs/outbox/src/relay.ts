import { ThrottledLog } from '@switchboard/nats';
import { prepared, statement, type Database, type Queryable } from '@switchboard/postgres';
import { jittered, pause } from '@switchboard/timing';
import type { EventBroker } from './publishing.js';
import { RelayLead } from './relay-lead.js';
import { RelayLedger } from './relay-ledger.js';
import { relayMetrics } from './relay-metrics.js';
import type { RelayReport } from './relay-report.js';

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
}

/** Poll interval while nothing is pending: it bounds the delay of events that another replica wrote. */
const IDLE_PAUSE_MS = 20;
/** How often a replica without the lock asks for it. */
const STANDBY_PAUSE_MS = 500;
const ERROR_PAUSE_MS = 500;

const tryLock = statement<{ locked: boolean }>(
  'outbox.lock',
  'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked',
);

/**
 * Publishes a service's outbox, in order within each aggregate, at least once.
 *
 * One relay per service works at a time, under a session's advisory lock; the others stand by. Two at once, when a lock is
 * lost and taken while publications are under way, do no harm: each waits for an event to be stored before the next of its
 * aggregate, and the broker or the inboxes drop what comes twice. It polls what is not published and never «id greater than
 * the last seen», which loses events under concurrent commits.
 *
 * A stream that is not the one published to, or ends before what it had acknowledged, was lost: all that the outbox keeps
 * is published again. It is looked at when the lead is taken, over each new connection, after a failure and every second.
 */
export class Relay {
  private readonly stopSignal = new AbortController();
  private running: Promise<void> | undefined;
  private wakeUp: (() => void) | undefined;
  private readonly metrics = relayMetrics();
  private readonly failures: ThrottledLog;

  constructor(private readonly options: RelayOptions) {
    this.failures = new ThrottledLog((error) => options.report({ kind: 'failed', error }));
  }

  start(): void {
    this.running ??= this.loop();
  }

  /** Finishes what is under way. */
  async stop(): Promise<void> {
    this.stopSignal.abort();
    await this.running;
  }

  /** Publishes events that were just committed without waiting for the next poll. */
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
        this.failures.failed(error);
        await this.pause(jittered(ERROR_PAUSE_MS), 'until stopped');
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
      const over = AbortSignal.any([lost.signal, this.stopSignal.signal]);
      const { broker, batchMax, report } = this.options;
      const query: Queryable['query'] = async (own, given) => (await client.query(prepared(own, given))).rows;
      const lead = new RelayLead({
        broker,
        ledger: new RelayLedger({ query }, broker.stream),
        metrics: this.metrics,
        failures: this.failures,
        report,
        batchMax,
        idle: () => this.pause(IDLE_PAUSE_MS, 'until woken'),
      });
      await lead.run(over);
    } finally {
      client.removeListener('error', onLost).removeListener('end', onLost);
      // Closing the session is what frees the lock.
      client.release(true);
    }
  }

  /** A commit ends the pause of an idle leader only: a session per commit is no help while the broker is away. */
  private async pause(durationMs: number, end: 'until woken' | 'until stopped'): Promise<void> {
    const over = new AbortController();
    const onEnd = (): void => over.abort();
    this.stopSignal.signal.addEventListener('abort', onEnd);
    if (end === 'until woken') this.wakeUp = onEnd;
    if (!this.stopping) await pause(durationMs, over.signal);
    this.wakeUp = undefined;
    this.stopSignal.signal.removeEventListener('abort', onEnd);
  }
}
