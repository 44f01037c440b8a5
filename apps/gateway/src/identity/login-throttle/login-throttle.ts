import { Inject, Injectable } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { Database } from '@switchboard/postgres';
import { CLOCK, type Clock } from '@switchboard/platform';
import { Turns } from '../turn/turns.js';
import {
  accountAllowance,
  accountSubject,
  addressAllowance,
  addressSubject,
  GUESSES_KEPT_MS,
  type GuessAllowance,
} from './login-throttle.policy.js';
import { findNextGuess, forgetGuesses, giveBackGuess, takeGuess } from './login-throttle.repository.js';
import { KnownWaits } from './known-waits.js';

/** A password that somebody is about to be tried with. */
export interface Guess {
  /** In small letters; of an account that may not exist. */
  readonly email: string;
  readonly address: string;
}

/** Guesses that are counted at once: they wait for each other's rows, on connections that admission needs. */
const AT_ONCE_MAX = 2;
/** Who would wait longer is told to come back. */
const WAITING_MAX = 64;

/**
 * Slows guessing of passwords down, by account and by address, for all replicas together.
 *
 * A flood of guesses must not slow anybody else: one process counts few at once, and who was told to wait is told so again
 * without the database.
 */
@Injectable()
export class LoginThrottle {
  private readonly known = new KnownWaits();
  private readonly turns = new Turns(AT_ONCE_MAX, WAITING_MAX);

  constructor(
    @Inject(Database) private readonly database: Pick<Database, 'query'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Counts a guess before it is checked.
   *
   * @throws AppError RATE_LIMITED when its account or its address has to wait; SERVICE_UNAVAILABLE when too many come at once
   */
  async take({ email, address }: Guess): Promise<void> {
    const [ofAddress, ofAccount] = [addressSubject(address), accountSubject(email)];
    const refuseKnown = (): void => {
      this.refuseKnown(ofAddress);
      this.refuseKnown(ofAccount);
    };
    refuseKnown();
    await this.turns.run(async () => {
      // What became known while it waited for its turn.
      refuseKnown();
      await this.takeOne(ofAddress, addressAllowance);
      await this.takeOne(ofAccount, accountAllowance);
    });
  }

  /**
   * Takes back what a right guess has cost. The account begins anew; the address gets back this one guess alone, or somebody
   * with an account of their own could guess about others for ever.
   */
  async forgive({ email, address }: Guess): Promise<void> {
    const account = accountSubject(email);
    await this.database.query(forgetGuesses, [account]);
    this.known.forget(account);
    await this.database.query(giveBackGuess, [addressSubject(address), new Date(this.clock.now())]);
  }

  private refuseKnown(subject: Buffer): void {
    const nowMs = this.clock.now();
    const nextMs = this.known.nextOf(subject, nowMs);
    if (nextMs !== null) throw haveToWait(nextMs - nowMs);
  }

  private async takeOne(subject: Buffer, { free, firstWaitMs, waitMaxMs }: GuessAllowance): Promise<void> {
    const nowMs = this.clock.now();
    const taken = await this.database.query(takeGuess, [
      subject,
      new Date(nowMs),
      new Date(nowMs - GUESSES_KEPT_MS),
      free,
      firstWaitMs / 1_000,
      waitMaxMs / 1_000,
    ]);
    if (taken.length > 0) return;
    const [row] = await this.database.query(findNextGuess, [subject, new Date(nowMs)]);
    const nextMs = row?.nextAt.getTime() ?? nowMs;
    this.known.note(subject, nextMs, nowMs);
    throw haveToWait(nextMs - nowMs);
  }
}

function haveToWait(waitMs: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds });
}
