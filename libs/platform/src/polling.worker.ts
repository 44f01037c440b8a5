import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { Log } from './logger.js';
import { PollingLoop } from './polling-loop.js';

/** How a worker polls. */
export interface PollingWorkerSpec {
  readonly log: Log;
  /** Pause after a round without work, ±25 %. */
  readonly idleMs: number;
  /** The line that is logged when a round throws: `<noun>.<what>-failed`. */
  readonly failureEvent: string;
}

/**
 * A `PollingLoop` with the lifecycle of a Nest provider: starts with the application, and `onModuleDestroy` waits for the
 * round under way.
 */
export abstract class PollingWorker implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #loop: PollingLoop;

  constructor({ log, idleMs, failureEvent }: PollingWorkerSpec) {
    const onError = (error: unknown): void => log.error(failureEvent, error);
    this.#loop = new PollingLoop({ round: () => this.round(), idleMs, onError });
  }

  onApplicationBootstrap(): void {
    this.#loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#loop.stop();
  }

  /** One round. @returns true when there may be more: the next round begins at once */
  protected abstract round(): Promise<boolean>;
}
