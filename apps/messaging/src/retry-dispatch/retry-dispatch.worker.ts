import { randomBytes } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import { LOG, PollingLoop, systemClock, type Log } from '@switchboard/service';
import { claimRetries, type ClaimedDispatch } from '../dispatch/dispatch.repository.js';
import { Dispatcher } from '../dispatch/dispatcher.js';

/** Attempts claimed at once; all of a claim are under way together, so the lease covers them all. */
const CLAIM_MAX = 64;

/** Sends again what the upstream provably did not take, when its time has come. */
@Injectable()
export class RetryDispatchWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop: PollingLoop;

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

  private async round(): Promise<boolean> {
    const markedMs = systemClock.monotonic();
    const claimed = await claimRetries(this.database, CLAIM_MAX, randomBytes(9).toString('base64'));
    await Promise.all(claimed.map((dispatch) => this.attempt(dispatch, markedMs)));
    return claimed.length === CLAIM_MAX;
  }

  private async attempt(dispatch: ClaimedDispatch, markedMs: number): Promise<void> {
    const { organizationId, messageId, attempts, refusal } = dispatch;
    if (refusal) await this.dispatcher.refuse(dispatch, refusal);
    else {
      const { state } = await this.dispatcher.attempt(dispatch, markedMs);
      this.log.info('message.retried', { organizationId, messageId, attempts, outcome: state });
    }
  }
}
