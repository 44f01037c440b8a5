/** Attempts of a delivery. Source: docs/api-behaviour.md#webhooks-attempts. */
export const ATTEMPTS_MAX = 3;
const RETRY_DELAYS_MS = [30_000, 300_000] as const;
const JITTER = 0.2;

/**
 * Delay before the next attempt of a delivery, ±20 % around 30 s, then 5 min.
 *
 * @param tries attempts that have failed, from 1
 * @param timeScale multiplies it
 * @param random from 0 to below 1
 * @returns milliseconds; null when there is no further attempt
 */
export function retryDelayMs(tries: number, timeScale: number, random: () => number = Math.random): number | null {
  const delayMs = RETRY_DELAYS_MS[tries - 1];
  return delayMs === undefined ? null : Math.round(delayMs * (1 - JITTER + 2 * JITTER * random()) * timeScale);
}

/**
 * What `Retry-After` asks for: seconds, or a date of HTTP.
 *
 * @returns milliseconds from now, at least 0; null when it says nothing that can be read
 * Source: RFC 9110, 10.2.3.
 */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  const at = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(at - nowMs, 0);
}
