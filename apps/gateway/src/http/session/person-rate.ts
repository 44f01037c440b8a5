import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@switchboard/platform';

/** Twenty a second in the long run, which no person reaches: a page of the console asks for some ten things at once. */
const INTERVAL_MS = 50;
/** Requests at once. */
const BURST = 600;
const PEOPLE_MAX = 10_000;

/**
 * Limits the requests of each person in each process: a script in a stolen session must not keep the database busy. All
 * sessions of a person count together, as each makes further ones: a switch of the organization, another sign-in. By the
 * generic cell rate algorithm, as the limits of keys; those of an organization are shared by all replicas, these are not, as
 * a person has no share of the plan. Bounded in memory: the person who asked longest ago is forgotten first.
 */
@Injectable()
export class PersonRate {
  /** When each would have been asked last at the even rate. */
  private readonly arrivalsMs = new Map<string, number>();

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** Counts a request. @throws AppError RATE_LIMITED */
  count(userId: string): void {
    const nowMs = this.clock.monotonic();
    const nextMs = Math.max(this.arrivalsMs.get(userId) ?? 0, nowMs) + INTERVAL_MS;
    const waitMs = nextMs - nowMs - BURST * INTERVAL_MS;
    if (waitMs > 0) {
      throw new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
    }
    this.arrivalsMs.delete(userId);
    this.arrivalsMs.set(userId, nextMs);
    const [oldest] = this.arrivalsMs.keys();
    if (this.arrivalsMs.size > PEOPLE_MAX && oldest !== undefined) this.arrivalsMs.delete(oldest);
  }
}
