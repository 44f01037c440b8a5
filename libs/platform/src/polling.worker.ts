import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { ThrottledLog } from '@switchboard/nats';
import type { WakeSignal } from '@switchboard/timing';
import { countFailedRound, showFailedRounds } from './failed-rounds.js';
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
  readonly #failureEvent: string;

  constructor({ log, idleMs, signal, failureEvent }: PollingWorkerSpec) {
    this.#failureEvent = failureEvent;
    const lines = new ThrottledLog((error) => log.error(failureEvent, error));
    const round = async (): Promise<RoundResult> => {
      const result = await this.round();
      lines.succeeded();
      return result;
    };
    const onError = (error: unknown): void => {
      countFailedRound(failureEvent);
      lines.failed(error);
    };
    this.#loop = new PollingLoop({ round, idleMs, signal, onError });
  }

  onApplicationBootstrap(): void {
    showFailedRounds(this.#failureEvent);
    this.#loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#loop.stop();
  }

  /** One round. @returns true when there may be more, a number when the next work is due in so many milliseconds */
  protected abstract round(): Promise<RoundResult>;
}
