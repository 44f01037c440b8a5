const AGAIN_AFTER_MS = 30_000;

/**
 * Tells a run of failures sparingly: the first at once, then one every 30 s while it lasts. An outage is one thing, not a
 * line for each event that it holds up.
 */
export class ThrottledLog {
  private toldMs = -Infinity;

  constructor(private readonly tell: (error: unknown) => void) {}

  failed(error: unknown): void {
    const nowMs = performance.now();
    if (nowMs - this.toldMs < AGAIN_AFTER_MS) return;
    this.toldMs = nowMs;
    this.tell(error);
  }

  /** Something went well: the next failure is the first of another run. */
  succeeded(): void {
    this.toldMs = -Infinity;
  }
}
