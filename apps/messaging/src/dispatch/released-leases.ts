import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import { CLOCK, LOG, type Clock, type Log } from '@switchboard/platform';
import { LEASE_MS } from './dispatch.entity.js';
import { unclaim } from './retry-claim.repository.js';
import { BackoffLoop, type RoundResult } from './backoff-loop.js';

/** Far more than can be marked at once. */
const WAITING_MAX = 10_000;

/**
 * Gives back attempts that may have been marked and were never begun: the answer of the COMMIT that marked them was lost.
 * Left alone they would be UNKNOWN when their lease ends, although it is known that they did not leave.
 */
@Injectable()
export class ReleasedLeases implements OnModuleDestroy {
  /** By lease: since when, in monotonic milliseconds. */
  private readonly waiting = new Map<string, number>();
  private readonly loop = new BackoffLoop(() => this.round());

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** What is marked under the lease goes to RETRY, now or when the database is back; it may not be begun any more. */
  giveBack(lease: string): void {
    if (this.waiting.size >= WAITING_MAX) return;
    this.waiting.set(lease, this.clock.monotonic());
    this.loop.wake();
  }

  /** Tries once more what waits. */
  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
  }

  /** A COMMIT whose answer was lost may be done later than it is looked for: so it is looked for as long as its lease. */
  private async round(): Promise<RoundResult> {
    const lookedAtMs = this.clock.monotonic();
    let held: ReadonlySet<string>;
    try {
      held = await unclaim(this.database, [...this.waiting.keys()]);
    } catch (error) {
      this.log.error('dispatch.give-back-delayed', error, { leases: this.waiting.size });
      return 'stuck';
    }
    for (const [lease, sinceMs] of this.waiting) {
      if (lookedAtMs - sinceMs > LEASE_MS && !held.has(lease)) this.waiting.delete(lease);
    }
    return this.waiting.size === 0 ? 'done' : 'stuck';
  }
}
