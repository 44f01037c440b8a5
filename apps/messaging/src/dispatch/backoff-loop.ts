import { pause } from '@switchboard/platform';

const FIRST_PAUSE_MS = 200;
const PAUSE_MAX_MS = 8_000;

/** What a round came to. `advanced`: some of it was done, the rest is worth another try soon. */
export type RoundResult = 'done' | 'advanced' | 'stuck';

/** Repeats a round until nothing is left to do: after 200 ms, doubled while it is stuck, at most 8 s, ±25 %. */
export class BackoffLoop {
  private readonly stopSignal = new AbortController();
  private running: Promise<void> | undefined;

  /** @param round never rejects */
  constructor(
    private readonly round: () => Promise<RoundResult>,
    private readonly wait: typeof pause = pause,
  ) {}

  get isStopped(): boolean {
    return this.stopSignal.signal.aborted;
  }

  /** There is something to do. */
  wake(): void {
    if (!this.isStopped) this.running ??= this.loop();
  }

  /** Makes the last round, at once, where there is something to do. */
  async stop(): Promise<void> {
    this.stopSignal.abort();
    await this.running;
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopSignal;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)) {
      await this.wait(pauseMs * (0.75 + Math.random() / 2), signal);
      const isLast = signal.aborted;
      const result = await this.round();
      if (isLast || result === 'done') break;
      if (result === 'advanced') pauseMs = FIRST_PAUSE_MS / 2;
    }
    // In the turn in which nothing was left: whoever wakes it from now on begins a loop of its own.
    this.running = undefined;
  }
}
