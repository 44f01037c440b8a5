import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@switchboard/platform';

/** Twenty a second in the long run, which no person reaches: a page of the console asks for some ten things at once. */
const INTERVAL_MS = 50;
/** Requests at once. */
const BURST = 600;
const SESSIONS_MAX = 10_000;

/**
 * Limits the requests of each session in each process: a script in a stolen session must not keep the database busy. By the
 * generic cell rate algorithm, as the limits of keys; those of an organization are shared by all replicas, these are not, as
 * a session has no share of the plan. Bounded in memory: the session that asked longest ago is forgotten first.
 */
@Injectable()
export class SessionRate {
  /** When each would have been asked last at the even rate. */
  private readonly arrivalsMs = new Map<string, number>();

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** Counts a request. @throws AppError RATE_LIMITED */
  count(sessionId: string): void {
    const nowMs = this.clock.monotonic();
    const nextMs = Math.max(this.arrivalsMs.get(sessionId) ?? 0, nowMs) + INTERVAL_MS;
    const waitMs = nextMs - nowMs - BURST * INTERVAL_MS;
    if (waitMs > 0) {
      throw new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
    }
    this.arrivalsMs.delete(sessionId);
    this.arrivalsMs.set(sessionId, nextMs);
    const [oldest] = this.arrivalsMs.keys();
    if (this.arrivalsMs.size > SESSIONS_MAX && oldest !== undefined) this.arrivalsMs.delete(oldest);
  }
}
