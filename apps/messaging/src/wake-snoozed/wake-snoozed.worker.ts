import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Relay } from '@switchboard/outbox';
import { Database } from '@switchboard/postgres';
import { LOG, PollingLoop, type Log } from '@switchboard/service';
import { wakeMetrics } from './wake-metrics.js';
import { wakeSnoozed } from './wake-snoozed.js';

const ROUND_MAX = 500;
/** A snooze ends within 1 s of its time; the pause varies by a quarter. */
const IDLE_MS = 250;

/** Returns snoozed conversations to OPEN when their time has come, whichever replica sees it first. */
@Injectable()
export class WakeSnoozedWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop: PollingLoop;

  constructor(
    private readonly database: Database,
    private readonly relay: Relay,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.loop = new PollingLoop({
      round: () => this.round(),
      idleMs: IDLE_MS,
      onError: (error) => this.log.error('conversation.wake-failed', error),
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
  }

  private async round(): Promise<boolean> {
    const latenessMs = await this.database.transaction((tx) => wakeSnoozed(tx, ROUND_MAX));
    if (latenessMs.length === 0) return false;
    this.relay.wake();
    for (const lateMs of latenessMs) wakeMetrics().woken(lateMs);
    this.log.info('conversation.woken', { count: latenessMs.length, lateMs: Math.max(...latenessMs) });
    return latenessMs.length === ROUND_MAX;
  }
}
