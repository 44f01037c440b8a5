import { isOfClockAhead } from '../attempt/clock-step.policy.js';

/** After the first and the second attempt; the third is the last. Source: docs/api-behaviour.md#webhooks-attempts. */
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

/** The longest delay of a retry, in milliseconds. @param timeScale as in `retryDelayMs` */
export function retryDelayMaxMs(timeScale: number): number {
  return Math.max(...RETRY_DELAYS_MS) * (1 + JITTER) * timeScale;
}

/** Whether a retry may begin: its time has come, or lies further ahead than the longest delay, by a clock that has stepped back since. */
export function isRetryDue(dueAtMs: number, nowMs: number, timeScale: number): boolean {
  return dueAtMs <= nowMs || isOfClockAhead(dueAtMs, nowMs, retryDelayMaxMs(timeScale));
}

/** The three forms of a date of HTTP, each with the parts of its time. Source: RFC 9110, 5.6.7. */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];
/** A year of two digits that seems to lie further ahead is of the century before. Source: RFC 9110, 5.6.7. */
const AHEAD_YEARS_MAX = 50;

/**
 * What `Retry-After` asks for: seconds, or a date of HTTP.
 *
 * @returns milliseconds from now, at least 0, and `Infinity` for more digits than a number has; null when it says nothing that
 * can be read
 * Source: RFC 9110, 10.2.3.
 */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const atMs = httpDateMs(text, nowMs);
  return atMs === null ? null : Math.max(atMs - nowMs, 0);
}

function httpDateMs(text: string, nowMs: number): number | null {
  const { day, month, year, time } =
    HTTP_DATES.map((form) => form.exec(text)).find((found) => found !== null)?.groups ?? {};
  if (year === undefined) return null;
  const atMs = Date.parse(`${day?.trim()} ${month} ${fullYear(year, nowMs)} ${time} GMT`);
  return Number.isNaN(atMs) ? null : atMs;
}

function fullYear(year: string, nowMs: number): number {
  if (year.length > 2) return Number(year);
  const thisYear = new Date(nowMs).getUTCFullYear();
  const ofCentury = thisYear - (thisYear % 100) + Number(year);
  return ofCentury > thisYear + AHEAD_YEARS_MAX ? ofCentury - 100 : ofCentury;
}
