import { setTimeout as wait } from 'node:timers/promises';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Clock } from '@switchboard/service';

/** Every 401 leaves at a multiple of this after its arrival, so that its timing does not tell why. */
const STEP_MS = 25;
/** One address may fail so many times at once; beyond, one more per interval. */
const BURST = 100;
const INTERVAL_MS = 20;
/** A 401 that would have to wait longer becomes a 429. */
const WAIT_MAX_MS = 5_000;
const ADDRESSES_MAX = 10_000;
const HELD_MAX = 5_000;

/** Holds the answers to bad keys and secrets of sessions: all of them for the same time, floods of one address for longer. Bounded in memory. */
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
    const nowMs = this.clock.monotonic();
    const delayMs = this.delayOf(address, nowMs);
    if (delayMs > WAIT_MAX_MS || this.held >= HELD_MAX) {
      return new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds: 1 + Math.ceil(delayMs / 1_000) });
    }
    const elapsedMs = nowMs + delayMs - arrivedMs;
    const leaveMs = arrivedMs + STEP_MS * Math.max(1, Math.ceil(elapsedMs / STEP_MS));
    this.held++;
    try {
      await this.pause(leaveMs - nowMs);
    } finally {
      this.held--;
    }
    return new AppError(gatewayErrors.UNAUTHORIZED, message);
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
