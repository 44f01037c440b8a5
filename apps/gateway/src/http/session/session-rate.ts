import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@switchboard/platform';

/** Twenty a second in the long run, which no person reaches: a page of the console asks for some ten things at once. */
const OF_SESSION = { burst: 600, intervalMs: 50 };
/** All sessions of a person together: with the password one may have a hundred. */
const OF_PERSON = { burst: 3_000, intervalMs: 10 };
const KEPT_MAX = 10_000;

/**
 * Limits the requests of each session in each process, and those of each person: a script in a stolen session must not keep the
 * database busy, and no session of a person, stolen or not, keeps the others from asking. By the generic cell rate algorithm, as the
 * limits of keys; those of an organization are shared by all replicas, these are not, as a person has no share of the plan.
 */
@Injectable()
export class SessionRate {
  private readonly sessions = new Arrivals(OF_SESSION);
  private readonly people = new Arrivals(OF_PERSON);

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

/** Bounded in memory: who asked longest ago is forgotten first. */
class Arrivals {
  /** When each would have been asked last at the even rate. */
  private readonly atMs = new Map<string, number>();

  constructor(private readonly rate: { readonly burst: number; readonly intervalMs: number }) {}

  waitMs(id: string, nowMs: number): number {
    const { burst, intervalMs } = this.rate;
    return this.next(id, nowMs) - nowMs - burst * intervalMs;
  }

  take(id: string, nowMs: number): void {
    this.put(id, this.next(id, nowMs));
  }

  rename(id: string, newId: string): void {
    const atMs = this.atMs.get(id);
    this.atMs.delete(id);
    if (atMs !== undefined) this.put(newId, atMs);
  }

  private next(id: string, nowMs: number): number {
    return Math.max(this.atMs.get(id) ?? 0, nowMs) + this.rate.intervalMs;
  }

  private put(id: string, atMs: number): void {
    this.atMs.delete(id);
    this.atMs.set(id, atMs);
    const [oldest] = this.atMs.keys();
    if (this.atMs.size > KEPT_MAX && oldest !== undefined) this.atMs.delete(oldest);
  }
}
