import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Database } from '@switchboard/postgres';
import type { Clock } from '@switchboard/platform';
import { KnownWaits } from './known-waits.js';
import { accountAllowance, ATTEMPTS_KEPT_MS, type AttemptAllowance } from './login-throttle.policy.js';
import { countAttempt, findNextAttempt, forgetAttempts, refundAttempt } from './login-throttle.repository.js';

/** The attempts of each subject, in a table that all replicas share, with what this process knows of it for a second. */
export class AttemptCounts {
  private readonly known = new KnownWaits();

  constructor(
    private readonly database: Pick<Database, 'query'>,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError RATE_LIMITED for a subject that was refused a moment ago */
  refuseKnown(subject: Buffer): void {
    const nowMs = this.clock.now();
    const nextMs = this.known.nextOf(subject, nowMs);
    if (nextMs !== null) throw rateLimited(nextMs - nowMs);
  }

  /** Counts one attempt. @returns false, and counts nothing, for a subject that has to wait */
  async add(subject: Buffer, { free, firstWaitMs, waitMaxMs }: AttemptAllowance = accountAllowance): Promise<boolean> {
    const nowMs = this.clock.now();
    const counted = await this.database.query(countAttempt, [
      subject,
      new Date(nowMs),
      new Date(nowMs - ATTEMPTS_KEPT_MS),
      free,
      firstWaitMs / 1_000,
      waitMaxMs / 1_000,
    ]);
    return counted.length > 0;
  }

  /** Whether a subject has to wait. */
  async isWaiting(subject: Buffer): Promise<boolean> {
    const nowMs = this.clock.now();
    return this.known.nextOf(subject, nowMs) !== null || (await this.nextOf(subject)) > nowMs;
  }

  /** The refusal of a subject that has to wait; until then the process refuses it by itself. */
  async refusalOf(subject: Buffer): Promise<AppError> {
    return rateLimited((await this.nextOf(subject)) - this.clock.now());
  }

  /** Forgets all attempts of a subject: one was right. */
  async forget(subject: Buffer): Promise<void> {
    await this.database.query(forgetAttempts, [subject]);
    this.known.forget(subject);
  }

  /** Gives one attempt back. */
  async refund(subject: Buffer): Promise<void> {
    await this.database.query(refundAttempt, [subject, new Date(this.clock.now())]);
  }

  private async nextOf(subject: Buffer): Promise<number> {
    const nowMs = this.clock.now();
    const [row] = await this.database.query(findNextAttempt, [subject, new Date(nowMs)]);
    const nextMs = row?.nextAt.getTime() ?? nowMs;
    if (nextMs > nowMs) this.known.note(subject, nextMs, nowMs);
    return nextMs;
  }
}

function rateLimited(waitMs: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds });
}
