import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import { LOG, PollingLoop, type Log } from '@switchboard/platform';
import { forgetKeys } from '../idempotency-key/idempotency-key.repository.js';

const ROUND_MAX = 1_000;
/** Nothing depends on it: a key past its day is free whether it is still stored or not. */
const IDLE_MS = 60_000;

/** Deletes idempotency keys that are past their day, some at a time, whichever replica comes first. */
@Injectable()
export class ForgetKeysWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop: PollingLoop;

  constructor(
    private readonly database: Database,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.loop = new PollingLoop({
      round: async () => (await forgetKeys(this.database, ROUND_MAX)) === ROUND_MAX,
      idleMs: IDLE_MS,
      onError: (error) => this.log.error('idempotency-key.forget-failed', error),
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
  }
}
