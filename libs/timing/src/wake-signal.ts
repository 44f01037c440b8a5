import { pause } from './pause.js';

/** A pause that `wake` ends early. A wake-up while nothing pauses is kept for the next pause: none is lost in between. */
export class WakeSignal {
  private isWoken = false;
  private end: AbortController | undefined;

  wake(): void {
    this.isWoken = true;
    this.end?.abort();
  }

  /** Forgets wake-ups so far: what they were for is about to be looked for. */
  clear(): void {
    this.isWoken = false;
  }

  /**
   * Waits for a wake-up since the last `clear`, for the time to pass, or for `over` to abort.
   *
   * @returns whether it was woken
   */
  async pause(durationMs: number, over: AbortSignal): Promise<boolean> {
    if (this.isWoken || over.aborted) return this.isWoken;
    const end = new AbortController();
    const onOver = (): void => end.abort();
    over.addEventListener('abort', onOver);
    this.end = end;
    await pause(durationMs, end.signal);
    this.end = undefined;
    over.removeEventListener('abort', onOver);
    return this.isWoken;
  }
}
