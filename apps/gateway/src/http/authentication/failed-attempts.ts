import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { CLOCK, type Clock } from '@switchboard/platform';
import { NetworkAllowance } from '../network-allowance.js';

/** Every 401 leaves at a multiple of this after its arrival, so that its timing does not show the reason. */
const STEP_MS = 25;
/**
 * So many failures of one network are free, then twenty a second. One that would have to wait longer becomes a 429: over however
 * many connections a flood comes, each of its requests is answered in time.
 */
const ALLOWANCE = { burst: 100, intervalMs: 50, waitMaxMs: 500 };
const DELAYED_MAX = 5_000;
/** Refusals of a password: a wrong one, one too many, and one that was not checked under load. */
const DELAYED_STATUSES: ReadonlySet<number> = new Set([401, 429, 503]);

/** An attempt to get in. */
export interface Attempt {
  readonly address: string;
  /** Monotonic milliseconds. */
  readonly arrivedMs: number;
}

/**
 * Delays the refusals of wrong keys, session secrets and passwords: all to the same step of time, floods of one network for
 * longer, and past its allowance refuses with 429. Bounded in memory.
 */
@Injectable()
export class FailedAttempts {
  private readonly networks = new NetworkAllowance(ALLOWANCE);
  private delayed = 0;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Optional() private readonly pause: (durationMs: number) => Promise<unknown> = wait,
  ) {}

  /**
   * Waits for the delay of this failed attempt.
   *
   * @param message instead of the sentence about keys
   * @returns the refusal to answer with: UNAUTHORIZED, or RATE_LIMITED past the bounds
   */
  async refusalFor(attempt: Attempt, message?: string): Promise<AppError> {
    return this.delay(attempt, new AppError(gatewayErrors.UNAUTHORIZED, message));
  }

  /**
   * Checks a password, and delays its refusal (401, 429, 503) like that of a key, so that guessing over many connections is
   * slow on each.
   *
   * @returns what the check returns
   */
  async delayRefusal<Result>(attempt: Attempt, check: () => Promise<Result>): Promise<Result> {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof AppError) || !DELAYED_STATUSES.has(error.status)) throw error;
      throw await this.delay(attempt, error);
    }
  }

  private async delay({ address, arrivedMs }: Attempt, refusal: AppError): Promise<AppError> {
    const nowMs = this.clock.monotonic();
    const delayMs = this.networks.take(address, nowMs);
    if (delayMs > ALLOWANCE.waitMaxMs || this.delayed >= DELAYED_MAX) {
      const retryAfterSeconds = Math.max(1 + Math.ceil(delayMs / 1_000), refusal.retryAfterSeconds ?? 0);
      return new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds });
    }
    const elapsedMs = nowMs + delayMs - arrivedMs;
    const leaveMs = arrivedMs + STEP_MS * Math.max(1, Math.ceil(elapsedMs / STEP_MS));
    this.delayed++;
    try {
      await this.pause(leaveMs - nowMs);
    } finally {
      this.delayed--;
    }
    return refusal;
  }
}
