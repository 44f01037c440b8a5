import { jittered, untilBeat, WakeSignal } from '@switchboard/timing';

/** How a loop looks for work. */
export interface PollingLoopOptions {
  /** One round. True: there may be more, go on at once. A number: the next work is due in so many milliseconds. */
  readonly round: () => Promise<RoundResult>;
  /**
   * Pause after a round without work; work that is due, or a wake-up, ends it earlier. Up to 10 s it ends on the process's beat,
   * ±50 %; a longer one, of work that has no hurry and may be much, varies by a quarter.
   */
  readonly idleMs: number;
  /** Wakes the loop; without it only time does. */
  readonly signal?: WakeSignal | undefined;
  /** A round that threw is reported here and repeated after a pause. */
  readonly onError: (error: unknown) => void;
}

/** What a round came to: see `PollingLoopOptions.round`. */
export type RoundResult = boolean | number;

const ERROR_PAUSE_MS = 1_000;
/** Loops that look less often do not look together. */
const BEAT_MAX_MS = 10_000;

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
    const { options, stopSignal } = this;
    const { signal: wakeUp = new WakeSignal() } = options;
    while (!stopSignal.signal.aborted) {
      wakeUp.clear();
      let pauseMs = 0;
      try {
        pauseMs = pauseAfter(await options.round(), options.idleMs);
      } catch (error) {
        options.onError(error);
        pauseMs = jittered(ERROR_PAUSE_MS);
        wakeUp.clear();
      }
      if (pauseMs > 0) await wakeUp.pause(pauseMs, stopSignal.signal);
    }
  }
}

function pauseAfter(result: RoundResult, idleMs: number): number {
  if (result === true) return 0;
  const pauseMs = idleMs > BEAT_MAX_MS ? jittered(idleMs) : untilBeat(idleMs);
  return result === false ? pauseMs : Math.min(result, pauseMs);
}
