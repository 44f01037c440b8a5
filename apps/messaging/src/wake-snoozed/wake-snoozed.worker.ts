import { Inject, Injectable } from '@nestjs/common';
import { Relay } from '@switchboard/outbox';
import { Database } from '@switchboard/postgres';
import { LOG, PollingWorker, type Log } from '@switchboard/platform';
import { wakeMetrics } from './wake-metrics.js';
import { wakeSnoozed } from './wake-snoozed.js';

/** Conversations of one transaction: more wait longer for their commit, and are no quicker. */
const ROUND_MAX = 500;
/**
 * Transactions at once when one cannot take all that is due, such as a Monday's 09:00: each takes what no other holds. The
 * database works on one while the events of another are written; what is left of the pool is for sends.
 */
const CHAINS = 3;
/** A snooze ends within 1 s of its time; the pause varies by a quarter. */
const IDLE_MS = 250;

/** Returns snoozed conversations to OPEN when their time has come, whichever replica sees it first. */
@Injectable()
export class WakeSnoozedWorker extends PollingWorker {
  private isStopping = false;

  constructor(
    @Inject(Database) private readonly database: Pick<Database, 'transaction'>,
    @Inject(Relay) private readonly relay: Pick<Relay, 'wake'>,
    @Inject(LOG) private readonly log: Log,
  ) {
    super({ log, idleMs: IDLE_MS, failureEvent: 'conversation.wake-failed' });
  }

  override async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    await super.onModuleDestroy();
  }

  /** What one transaction can take; for more, several chains of them until each has seen the end. */
  protected async round(): Promise<boolean> {
    if (!(await this.wake())) return false;
    // None goes on unseen when another fails: a stop waits for all.
    const chains = await Promise.allSettled(Array.from({ length: CHAINS }, () => this.wakeAll()));
    const failed = chains.find((chain) => chain.status === 'rejected');
    if (failed) throw failed.reason;
    return true;
  }

  private async wakeAll(): Promise<void> {
    while (!this.isStopping && (await this.wake()));
  }

  /** One transaction. @returns whether it took all that it could: there may be more */
  private async wake(): Promise<boolean> {
    const latenessMs = await this.database.transaction((tx) => wakeSnoozed(tx, ROUND_MAX));
    if (latenessMs.length === 0) return false;
    this.relay.wake();
    for (const lateMs of latenessMs) wakeMetrics().woken(lateMs);
    this.log.info('conversation.woken', { count: latenessMs.length, lateMs: Math.max(...latenessMs) });
    return latenessMs.length === ROUND_MAX;
  }
}
