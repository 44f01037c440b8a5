import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LOG, PollingLoop, type Log } from '@switchboard/platform';
import { UnconfirmedLiftRepository } from './unconfirmed-lift.repository.js';

const ROUND_MAX = 1_000;
const IDLE_MS = 60_000;

/** Deletes lifts whose callers have not asked again for a day, some at a time, whichever replica comes first. */
@Injectable()
export class ForgetLiftsWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop: PollingLoop;

  constructor(
    private readonly lifts: UnconfirmedLiftRepository,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.loop = new PollingLoop({
      round: async () => (await this.lifts.forgetOld(ROUND_MAX)) === ROUND_MAX,
      idleMs: IDLE_MS,
      onError: (error) => this.log.error('unconfirmed-lift.forget-failed', error),
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
  }
}
