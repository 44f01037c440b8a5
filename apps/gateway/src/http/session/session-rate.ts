import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@switchboard/platform';
import { Allowances } from '../allowances.js';

/** Twenty a second in the long run, which no person reaches: a page of the console asks for some ten things at once. */
const OF_SESSION = { burst: 600, intervalMs: 50 };
/** All sessions of a person together: with the password one may have a hundred. */
const OF_PERSON = { burst: 3_000, intervalMs: 10 };

/**
 * Limits the requests of each session in each process, and those of each person: a script in a stolen session must not keep the
 * database busy, and no session of a person, stolen or not, keeps the others from asking. The limits of keys are shared by all
 * replicas, these are not, as a person has no share of the plan.
 */
@Injectable()
export class SessionRate {
  private readonly sessions = new Allowances(OF_SESSION);
  private readonly people = new Allowances(OF_PERSON);

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** Counts a request. @throws AppError RATE_LIMITED */
  count(sessionId: string, userId: string): void {
    const nowMs = this.clock.monotonic();
    const waitMs = Math.max(this.sessions.waitMs(sessionId, nowMs), this.people.waitMs(userId, nowMs));
    if (waitMs > 0) {
      throw new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
    }
    this.sessions.take(sessionId, nowMs);
    this.people.take(userId, nowMs);
  }

  /** A session goes on under another id: it has asked what it has asked. */
  goOn(sessionId: string, newId: string): void {
    this.sessions.rename(sessionId, newId);
  }
}
