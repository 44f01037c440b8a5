/**
 * A wait that ends at once for all who are in it: what each does next can share a batch. It lasts from the end of the last one on:
 * after a quiet time there is none.
 */
export class SharedPause {
  private current: Promise<void> | undefined;
  private waiting = 0;
  private endedMs = -Infinity;
  private end: () => void = () => undefined;

  /**
   * @param signal ends it early, and leaves none behind
   * @param waitingMax so many end it early, too
   */
  constructor(
    private readonly durationMs: number,
    private readonly signal: AbortSignal,
    private readonly waitingMax = Infinity,
  ) {
    signal.addEventListener('abort', () => this.end(), { once: true });
  }

  /** At most `durationMs`. */
  async wait(): Promise<void> {
    const restMs = this.endedMs + this.durationMs - performance.now();
    if (!this.current && (restMs <= 0 || this.signal.aborted)) {
      this.endedMs = performance.now();
      return;
    }
    this.current ??= this.pause(restMs);
    this.waiting++;
    if (this.waiting >= this.waitingMax) this.end();
    await this.current;
  }

  private async pause(durationMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, durationMs);
    this.end = resolve;
    await promise;
    clearTimeout(timer);
    this.endedMs = performance.now();
    this.waiting = 0;
    this.current = undefined;
  }
}
