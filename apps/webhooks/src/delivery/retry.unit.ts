import { describe, expect, it } from '@jest/globals';
import { retryAfterMs, retryDelayMs } from './retry.policy.js';

describe('the delay of a retry', () => {
  it('is 30 s, then 5 min, ±20 %, scaled, and there is no fourth attempt', () => {
    expect([0, 0.5, 1].map((random) => retryDelayMs(1, 1, () => random))).toEqual([24_000, 30_000, 36_000]);
    expect([0, 0.5, 1].map((random) => retryDelayMs(2, 0.01, () => random))).toEqual([2_400, 3_000, 3_600]);
    expect(retryDelayMs(3, 1)).toBeNull();
  });
});

describe('Retry-After', () => {
  const nowMs = Date.parse('2026-01-02T03:04:05Z');
  const read = (header: string | null) => retryAfterMs(header, nowMs);

  it('is seconds or a date, with blanks around, and nothing else', () => {
    expect([read('120'), read(' 120\t'), read('0')]).toEqual([120_000, 120_000, 0]);
    expect(read('9'.repeat(400))).toBe(Infinity);
    expect(read('Fri, 02 Jan 2026 03:00:00 GMT')).toBe(0);
    const unreadable = [null, '', ' ', '-1', '1.5', 'soon', '2026-01-02', '²', 'Fri, 99 Jan 2026 03:05:05 GMT'];
    expect(unreadable.map(read)).toEqual(unreadable.map(() => null));
  });

  it('is a date in any of the three forms of HTTP, in UTC', () => {
    for (const date of [
      'Fri, 02 Jan 2026 03:05:05 GMT',
      'Friday, 02-Jan-26 03:05:05 GMT',
      'Fri Jan  2 03:05:05 2026',
    ]) {
      expect(read(date)).toBe(60_000);
      expect(read(` ${date} `)).toBe(60_000);
    }
    expect(read('Mon Jan 12 03:04:05 2026')).toBe(10 * 24 * 3_600_000);
    // In 1994, not in 2094.
    expect(read('Sunday, 06-Nov-94 08:49:37 GMT')).toBe(0);
  });
});
