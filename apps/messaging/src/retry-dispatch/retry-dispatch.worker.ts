import { randomBytes } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import { LOG, PollingLoop, systemClock, type Log } from '@switchboard/service';
import { claimRetries, type ClaimedDispatch } from '../dispatch/dispatch.repository.js';
import { Dispatcher } from '../dispatch/dispatcher.js';

/** Attempts under way at once; a claim is begun at once, so that its lease covers it. */
const UNDERWAY_MAX = 64;

/** Sends again what the upstream provably did not take, when its time has come. */
@Injectable()
export class RetryDispatchWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop: PollingLoop;
  private underway = 0;

  constructor(
    private readonly database: Database,
    private readonly dispatcher: Dispatcher,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.loop = new PollingLoop({
      round: () => this.round(),
      idleMs: 250,
      onError: (error) => this.log.error('dispatch.retry-failed', error),
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
  }

  /** Does not wait for the attempts it begins: one that the upstream keeps open must not hold up the others. */
  private async round(): Promise<boolean> {
    const free = UNDERWAY_MAX - this.underway;
    if (free <= 0) return false;
    const markedMs = systemClock.monotonic();
    const claimed = await claimRetries(this.database, free, randomBytes(9).toString('base64'));
    for (const dispatch of claimed) void this.attempt(dispatch, markedMs);
    return claimed.length === free;
  }

  /** Never rejects: an attempt that could not be recorded is found again when its lease ends. */
  private async attempt(dispatch: ClaimedDispatch, markedMs: number): Promise<void> {
    const { organizationId, messageId, attempts, refusal } = dispatch;
    this.underway++;
    try {
      if (refusal) return await this.dispatcher.refuse(dispatch, refusal);
      const { state } = await this.dispatcher.attempt(dispatch, markedMs);
      this.log.info('message.retried', { organizationId, messageId, attempts, outcome: state });
    } catch (error) {
      this.log.error('dispatch.retry-failed', error, { organizationId, messageId });
    } finally {
      this.underway--;
    }
  }
}
