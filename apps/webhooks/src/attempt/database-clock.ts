import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@switchboard/platform';

/**
 * The database's clock, as it was last read, carried on by monotonic time: replicas compare times of one clock, and receivers refuse
 * signatures of a wrong one. The worker reads it every 2 s.
 */
@Injectable()
export class DatabaseClock {
  private offsetMs: number;

  constructor(@Inject(CLOCK) private readonly clock: Clock) {
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
