import { Inject, Injectable } from '@nestjs/common';
import { Relay } from '@switchboard/outbox';
import { Database, LookFloor } from '@switchboard/postgres';
import { LOG, PollingWorker, systemClock, type Log, type RoundResult } from '@switchboard/platform';
import { SnoozeSignal } from '../conversation/snooze-signal.js';
import { wakeMetrics } from './wake-metrics.js';
import { nextSnooze, wakeSnoozed } from './wake-snoozed.js';

/** Conversations of one transaction: more wait longer for their commit, and are no quicker. */
const ROUND_MAX = 500;
/**
 * Transactions at once when one cannot take all that is due, such as a Monday's 09:00: each takes what no other holds. The
 * database works on one while the events of another are written; what is left of the pool is for sends.
 */
const CHAINS = 3;
/**
 * A snooze ends within 1 s of its time: the loop sleeps until the next one that it knows of. This is how often it learns of
 * those that other replicas have written since.
 */
const IDLE_MS = 2_000;
/** Before what is due and locked is looked for again. */
const LOCKED_PAUSE_MS = 250;

/** Returns snoozed conversations to OPEN when their time has come, whichever replica sees it first. */
@Injectable()
export class WakeSnoozedWorker extends PollingWorker {
  private readonly floor = new LookFloor();
  private isStopping = false;

  constructor(
    @Inject(Database) private readonly database: Pick<Database, 'transaction'>,
    @Inject(Relay) private readonly relay: Pick<Relay, 'wake'>,
    @Inject(LOG) private readonly log: Log,
    signal: SnoozeSignal,
  ) {
    super({ log, idleMs: IDLE_MS, signal, failureEvent: 'conversation.wake-failed' });
  }

  override async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    await super.onModuleDestroy();
  }

  /** What one transaction can take; for more, several chains of them until each has seen the end. */
  protected async round(): Promise<RoundResult> {
    const { isFull, nextInMs } = await this.wake();
    if (!isFull) return nextInMs === null ? false : Math.max(nextInMs, LOCKED_PAUSE_MS);
    // None goes on unseen when another fails: a stop waits for all.
    const chains = await Promise.allSettled(Array.from({ length: CHAINS }, () => this.wakeAll()));
    const failed = chains.find((chain) => chain.status === 'rejected');
    if (failed) throw failed.reason;
    return true;
  }

  private async wakeAll(): Promise<void> {
    while (!this.isStopping && (await this.wake()).isFull);
  }

  /** One transaction. @returns whether it took all that it could: there may be more; else when to look again */
  private async wake(): Promise<{ readonly isFull: boolean; readonly nextInMs: number | null }> {
    const floorMs = this.floor.begin(systemClock.monotonic());
    const { latenessMs, next } = await this.database.transaction(async (tx) => {
      const woken = await wakeSnoozed(tx, ROUND_MAX, floorMs);
      // A whole look may have found more below the floor than it could take: the others begin there then.
      const isLast = woken.length === 0 || floorMs === -Infinity;
      return { latenessMs: woken, next: isLast ? await nextSnooze(tx, floorMs) : null };
    });
    if (next) this.floor.move(next.floorMs, floorMs);
    if (latenessMs.length === 0) return { isFull: false, nextInMs: next?.inMs ?? null };
    this.relay.wake();
    for (const lateMs of latenessMs) wakeMetrics().woken(lateMs);
    this.log.info('conversation.woken', { count: latenessMs.length, lateMs: Math.max(...latenessMs) });
    // What it could not see while it looked may be due by now.
    return { isFull: latenessMs.length === ROUND_MAX, nextInMs: LOCKED_PAUSE_MS };
  }
}
