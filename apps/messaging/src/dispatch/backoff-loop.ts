import { backoffMs, pause } from '@switchboard/timing';

const BACKOFF = { firstMs: 200, maxMs: 8_000 };

/** What a round came to. `advanced`: some of it was done, the rest is worth another try soon. */
export type RoundResult = 'done' | 'advanced' | 'stuck';

/** Repeats a round until nothing is left to do: after 200 ms, doubled while it is stuck, at most 8 s, ±25 %. */
export class BackoffLoop {
  private readonly stopSignal = new AbortController();
  private running: Promise<void> | undefined;
  /** How often there was something to do. */
  private wakes = 0;

  /** @param round never rejects */
  constructor(
    private readonly round: () => Promise<RoundResult>,
    private readonly wait: typeof pause = pause,
  ) {}

  get isStopped(): boolean {
    return this.stopSignal.signal.aborted;
  }

  /** Starts the loop, unless it runs: there is something to do. */
  wake(): void {
    if (this.isStopped) return;
    this.wakes++;
    this.running ??= this.loop();
  }

  /** Makes the last round, at once, where there is something to do. */
  async stop(): Promise<void> {
    this.stopSignal.abort();
    await this.running;
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopSignal;
    for (let tries = 1; ; tries++) {
      await this.wait(backoffMs(tries, BACKOFF), signal);
      const isLast = signal.aborted;
      const { wakes } = this;
      const result = await this.round();
      // What came when the round had found nothing left is for the next one.
      if (isLast || (result === 'done' && wakes === this.wakes)) break;
      if (result !== 'stuck') tries = 0;
    }
    // Nothing is awaited since the look at `wakes`: a later call of `wake` starts a new loop.
    this.running = undefined;
  }
}
