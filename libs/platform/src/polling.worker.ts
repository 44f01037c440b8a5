import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { WakeSignal } from '@switchboard/timing';
import { RoundFailures } from './failed-rounds.js';
import type { Log } from './logger.js';
import { PollingLoop, type RoundResult } from './polling-loop.js';

/** How a worker polls. */
export interface PollingWorkerSpec {
  readonly log: Log;
  /** Pause after a round without work, as of `PollingLoopOptions`. */
  readonly idleMs: number;
  /** Wakes it; without it only time does. */
  readonly signal?: WakeSignal;
  /** What is counted when a round throws, and the line that is logged, once in 30 s of a run: `<noun>.<what>-failed`. */
  readonly failureEvent: string;
}

/**
 * A `PollingLoop` with the lifecycle of a Nest provider: starts with the application, and `onModuleDestroy` waits for the
 * round under way.
 */
export abstract class PollingWorker implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #loop: PollingLoop;

  constructor({ log, idleMs, signal, failureEvent }: PollingWorkerSpec) {
    const failures = new RoundFailures(log, failureEvent);
    const round = async (): Promise<RoundResult> => {
      const result = await this.round();
      failures.succeeded();
      return result;
    };
    const onError = (error: unknown): void => failures.failed(error);
    this.#loop = new PollingLoop({ round, idleMs, signal, onError });
  }

  onApplicationBootstrap(): void {
    this.#loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#loop.stop();
  }

  /** One round. @returns true when there may be more, a number when the next work is due in so many milliseconds */
  protected abstract round(): Promise<RoundResult>;
}
