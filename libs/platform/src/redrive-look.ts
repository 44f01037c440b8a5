import { consumersWithMarkedLetters } from '@switchboard/outbox';
import type { Queryable } from '@switchboard/postgres';
import type { WakeSignal } from '@switchboard/timing';
import { RoundFailures } from './failed-rounds.js';
import type { Log } from './logger.js';
import { PollingLoop } from './polling-loop.js';

/** How soon a dead letter that an operator has marked is tried again. */
const LOOK_MS = 5_000;

/** Looks for dead letters that an operator has marked, for all consumers of a process at once, and wakes those that have some. */
export class RedriveLook {
  private readonly waiting = new Map<WakeSignal, string>();
  private readonly loop: PollingLoop;
  private readonly failures: RoundFailures;

  constructor(
    private readonly database: Queryable,
    log: Log,
  ) {
    this.failures = new RoundFailures(log, 'consumer.redrive-look-failed');
    const onError = (error: unknown): void => this.failures.failed(error);
    this.loop = new PollingLoop({ round: () => this.round(), idleMs: LOOK_MS, onError });
  }

  start(): void {
    this.loop.start();
  }

  /** Returns when the look under way has ended. */
  async stop(): Promise<void> {
    await this.loop.stop();
  }

  /** Wakes the consumer from now on; what is marked already too. */
  add(consumer: string, signal: WakeSignal): void {
    this.waiting.set(signal, consumer);
  }

  remove(signal: WakeSignal): void {
    this.waiting.delete(signal);
  }

  private async round(): Promise<false> {
    if (this.waiting.size === 0) return false;
    const marked = await consumersWithMarkedLetters(this.database, [...new Set(this.waiting.values())]);
    this.failures.succeeded();
    for (const [signal, consumer] of this.waiting) if (marked.has(consumer)) signal.wake();
    return false;
  }
}
