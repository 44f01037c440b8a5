const AGAIN_AFTER_MS = 30_000;

/**
 * Reports a run of failures throttled: the first at once, then one every 30 s while the run lasts. An outage would
 * otherwise write a line for each event that it holds up.
 */
export class ThrottledLog<Failure = unknown> {
  private reportedMs = -Infinity;

  constructor(private readonly report: (failure: Failure) => void) {}

  failed(failure: Failure): void {
    const nowMs = performance.now();
    if (nowMs - this.reportedMs < AGAIN_AFTER_MS) return;
    this.reportedMs = nowMs;
    this.report(failure);
  }

  /** Ends the run: the next failure is the first of another one. */
  succeeded(): void {
    this.reportedMs = -Infinity;
  }
}
