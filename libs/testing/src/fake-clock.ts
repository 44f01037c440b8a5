import type { Clock } from '@switchboard/platform';

/** A clock that moves only when a test moves it. */
export class FakeClock implements Clock {
  private elapsedMs = 0;

  /** @param startMs milliseconds since the Unix epoch; 2026-01-01 by default */
  constructor(private readonly startMs: number = Date.UTC(2026, 0, 1)) {}

  now(): number {
    return this.startMs + this.elapsedMs;
  }

  monotonic(): number {
    return this.elapsedMs;
  }

  /** Lets time pass. */
  advance(durationMs: number): void {
    this.elapsedMs += durationMs;
  }
}
