import { backoffMs, type Random } from '@switchboard/timing';
import type { RetryPace } from '../upstream/upstream.js';

/** How long a message is tried, and how long an unknown outcome may stay open. Source: docs/api-behaviour.md#messages-never-twice. */
export const SETTLE_DEADLINE_MS = 24 * 60 * 60 * 1_000;
const PAUSE_MAX_MS = 60 * 60 * 1_000;

/** Start and growth of the pause, by what refused the message. Source: provider's "Error codes" (4^n s for a pair). */
const PACE: Readonly<Record<RetryPace, { readonly firstMs: number; readonly factor: number }>> = {
  'not-begun': { firstMs: 400, factor: 1 },
  normal: { firstMs: 1_000, factor: 2 },
  pair: { firstMs: 4_000, factor: 4 },
  slow: { firstMs: 60_000, factor: 2 },
};

/**
 * Delay before the next attempt of a message that was not taken.
 *
 * @param attempts 1-based count of attempts already made
 * @param random injected by tests
 * @returns milliseconds, ±25 %, at most 1 h
 */
export function retryDelayMs(attempts: number, pace: RetryPace, random?: Random): number {
  return Math.min(Math.round(backoffMs(attempts, { ...PACE[pace], maxMs: PAUSE_MAX_MS }, random)), PAUSE_MAX_MS);
}
