import { jittered, pause } from '@switchboard/timing';

/** How a loop looks for work. */
export interface PollingLoopOptions {
  /** One round. True: there may be more, go on at once. */
  readonly round: () => Promise<boolean>;
  /** Pause after a round without work, ±25 %. */
  readonly idleMs: number;
  /** A round that threw is reported here and repeated after a pause. */
  readonly onError: (error: unknown) => void;
}

const ERROR_PAUSE_MS = 1_000;

/** A loop over work that is found by looking: one round at a time, stopped between rounds. */
export class PollingLoop {
  private readonly stopSignal = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: PollingLoopOptions) {}

  start(): void {
    this.running ??= this.loop();
  }

  /** Returns when the round under way has ended. */
  async stop(): Promise<void> {
    this.stopSignal.abort();
    await this.running;
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopSignal;
    while (!signal.aborted) {
      let pauseMs = 0;
      try {
        pauseMs = (await this.options.round()) ? 0 : this.options.idleMs;
      } catch (error) {
        this.options.onError(error);
        pauseMs = ERROR_PAUSE_MS;
      }
      if (pauseMs > 0) await pause(jittered(pauseMs), signal);
    }
  }
}
