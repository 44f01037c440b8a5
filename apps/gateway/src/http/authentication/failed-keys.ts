import { setTimeout as wait } from 'node:timers/promises';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Clock } from '@switchboard/platform';

/** Every 401 leaves at a multiple of this after its arrival, so that its timing does not tell why. */
const STEP_MS = 25;
/** One address may fail so many times at once; beyond, one more per interval. */
const BURST = 100;
const INTERVAL_MS = 20;
/** A 401 that would have to wait longer becomes a 429. */
const WAIT_MAX_MS = 5_000;
const ADDRESSES_MAX = 10_000;
const HELD_MAX = 5_000;
/** Refusals of a password: a wrong one, one too many, and one that nobody had the time to check. */
const HELD_STATUSES: ReadonlySet<number> = new Set([401, 429, 503]);

/**
 * Holds the answers to bad keys, secrets of sessions and passwords: all of them for the same time, floods of one address for
 * longer. Bounded in memory.
 */
export class FailedKeys {
  /** When each address would have been allowed its next failure; the longest untouched first. */
  private readonly nextAllowedMs = new Map<string, number>();
  private held = 0;

  constructor(
    private readonly clock: Clock,
    private readonly pause: (durationMs: number) => Promise<unknown> = wait,
  ) {}

  /**
   * Waits as long as this failure has to.
   *
   * @param message instead of the one of keys
   * @returns the refusal to answer with: UNAUTHORIZED, or RATE_LIMITED past the bounds
   */
  async refusalFor(address: string, arrivedMs: number, message?: string): Promise<AppError> {
    return this.hold(address, arrivedMs, new AppError(gatewayErrors.UNAUTHORIZED, message));
  }

  /**
   * What the work returns. When it is a password that was refused, unheard or not (401, 429, 503), the refusal leaves as one of
   * a key does: who guesses over many connections is slowed down on each.
   */
  async slowed<Result>(
    request: { readonly ip: string; readonly edge: { readonly startedMs: number } },
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || !HELD_STATUSES.has(error.status)) throw error;
      throw await this.hold(request.ip, request.edge.startedMs, error);
    }
  }

  private async hold(address: string, arrivedMs: number, refusal: AppError): Promise<AppError> {
    const nowMs = this.clock.monotonic();
    const delayMs = this.delayOf(address, nowMs);
    if (delayMs > WAIT_MAX_MS || this.held >= HELD_MAX) {
      const retryAfterSeconds = Math.max(1 + Math.ceil(delayMs / 1_000), refusal.retryAfterSeconds ?? 0);
      return new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds });
    }
    const elapsedMs = nowMs + delayMs - arrivedMs;
    const leaveMs = arrivedMs + STEP_MS * Math.max(1, Math.ceil(elapsedMs / STEP_MS));
    this.held++;
    try {
      await this.pause(leaveMs - nowMs);
    } finally {
      this.held--;
    }
    return refusal;
  }

  /** Counts the failure, unless it would have to wait too long anyway. */
  private delayOf(address: string, nowMs: number): number {
    const nextMs = Math.max(this.nextAllowedMs.get(address) ?? 0, nowMs) + INTERVAL_MS;
    const delayMs = Math.max(0, nextMs - nowMs - BURST * INTERVAL_MS);
    if (delayMs > WAIT_MAX_MS) return delayMs;
    this.nextAllowedMs.delete(address);
    this.nextAllowedMs.set(address, nextMs);
    const [oldest] = this.nextAllowedMs.keys();
    if (this.nextAllowedMs.size > ADDRESSES_MAX && oldest !== undefined) this.nextAllowedMs.delete(oldest);
    return delayMs;
  }
}
