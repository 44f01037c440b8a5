import type { Clock } from '@switchboard/platform';

/** The database's clock, as it was last read, carried on by this process's own: replicas compare times of one clock. */
export class DatabaseClock {
  private offsetMs: number;

  constructor(private readonly clock: Clock) {
    this.offsetMs = clock.now() - clock.monotonic();
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.clock.monotonic() + this.offsetMs;
  }

  observe(nowMs: number): void {
    this.offsetMs = nowMs - this.clock.monotonic();
  }
}
