import { Inject, Injectable } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { Database } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import { Semaphore } from '../semaphore/semaphore.js';
import {
  accountAllowance,
  accountSubject,
  addressAllowance,
  addressSubject,
  ATTEMPTS_KEPT_MS,
  type AttemptAllowance,
} from './login-throttle.policy.js';
import { findNextAttempt, forgetAttempts, refundAttempt, countAttempt } from './login-throttle.repository.js';
import { KnownWaits } from './known-waits.js';

/** One try of a password. */
export interface LoginAttempt {
  /** In small letters; of an account that may not exist. */
  readonly email: string;
  readonly address: string;
}

/** Attempts that are counted at once: they wait for each other's rows, on connections that admission needs. */
const RUNNING_MAX = 2;
/** Attempts that wait to be counted; the next is answered 503. */
const WAITING_MAX = 64;

/**
 * Limits login attempts by account and by network address, over all replicas together.
 *
 * A flood of attempts must not slow other requests down: a process counts few at once, and refuses a subject that it has
 * just refused without a query.
 */
@Injectable()
export class LoginThrottle {
  private readonly known = new KnownWaits();
  private readonly semaphore = new Semaphore(RUNNING_MAX, WAITING_MAX);

  constructor(
    @Inject(Database) private readonly database: Pick<Database, 'query'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Counts an attempt, before its password is checked.
   *
   * @throws AppError RATE_LIMITED when its account or its address has to wait; SERVICE_UNAVAILABLE when too many come at once
   */
  async count({ email, address }: LoginAttempt): Promise<void> {
    const [ofAddress, ofAccount] = [addressSubject(address), accountSubject(email)];
    const refuseKnown = (): void => {
      this.refuseKnown(ofAddress);
      this.refuseKnown(ofAccount);
    };
    refuseKnown();
    await this.semaphore.run(async () => {
      // A wait may have become known while this attempt waited.
      refuseKnown();
      await this.countOne(ofAddress, addressAllowance);
      await this.countOne(ofAccount, accountAllowance);
    });
  }

  /**
   * Forgives an attempt whose password was right. The account begins anew; the address gets this one attempt back and no more,
   * else the owner of one account could try passwords of others without end.
   */
  async forgive({ email, address }: LoginAttempt): Promise<void> {
    const account = accountSubject(email);
    await this.database.query(forgetAttempts, [account]);
    this.known.forget(account);
    await this.database.query(refundAttempt, [addressSubject(address), new Date(this.clock.now())]);
  }

  private refuseKnown(subject: Buffer): void {
    const nowMs = this.clock.now();
    const nextMs = this.known.nextOf(subject, nowMs);
    if (nextMs !== null) throw rateLimited(nextMs - nowMs);
  }

  private async countOne(subject: Buffer, { free, firstWaitMs, waitMaxMs }: AttemptAllowance): Promise<void> {
    const nowMs = this.clock.now();
    const counted = await this.database.query(countAttempt, [
      subject,
      new Date(nowMs),
      new Date(nowMs - ATTEMPTS_KEPT_MS),
      free,
      firstWaitMs / 1_000,
      waitMaxMs / 1_000,
    ]);
    if (counted.length > 0) return;
    const [row] = await this.database.query(findNextAttempt, [subject, new Date(nowMs)]);
    const nextMs = row?.nextAt.getTime() ?? nowMs;
    this.known.note(subject, nextMs, nowMs);
    throw rateLimited(nextMs - nowMs);
  }
}

function rateLimited(waitMs: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds });
}
