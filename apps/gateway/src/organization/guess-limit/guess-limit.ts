import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Database } from '@switchboard/postgres';
import type { Clock } from '@switchboard/service';
import {
  accountAllowance,
  accountSubject,
  addressAllowance,
  addressSubject,
  GUESSES_KEPT_MS,
  type GuessAllowance,
} from './guess-limit.policy.js';
import { findNextGuess, forgetGuesses, giveBackGuess, takeGuess } from './guess-limit.repository.js';

/** A password that somebody is about to be tried with. */
export interface Guess {
  /** In small letters; of an account that may not exist. */
  readonly email: string;
  readonly address: string;
}

/** Slows guessing of passwords down, by account and by address, for all replicas together. */
export class GuessLimit {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Counts a guess before it is checked. @throws AppError RATE_LIMITED when its account or its address has to wait */
  async take({ email, address }: Guess): Promise<void> {
    await this.takeOne(addressSubject(address), addressAllowance);
    await this.takeOne(accountSubject(email), accountAllowance);
  }

  /**
   * Takes back what a right guess has cost. The account begins anew; the address gets back this one guess alone, or somebody
   * with an account of their own could guess about others for ever.
   */
  async forgive({ email, address }: Guess): Promise<void> {
    await this.database.query(forgetGuesses, [accountSubject(email)]);
    await this.database.query(giveBackGuess, [addressSubject(address), new Date(this.clock.now())]);
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
    const [row] = await this.database.query(findNextGuess, [subject]);
    const waitMs = Math.max(0, (row?.nextAt.getTime() ?? nowMs) - nowMs);
    throw new AppError(gatewayErrors.RATE_LIMITED, undefined, {
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
    });
  }
}
