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
  it('is seconds or a date, and nothing else', () => {
    const nowMs = Date.parse('2026-01-02T03:04:05Z');
    const read = (header: string | null) => retryAfterMs(header, nowMs);
    expect(read('120')).toBe(120_000);
    expect(read('9'.repeat(400))).toBe(Infinity);
    expect(read('Fri, 02 Jan 2026 03:05:05 GMT')).toBe(60_000);
    expect(read('Fri, 02 Jan 2026 03:00:00 GMT')).toBe(0);
    expect([null, '', '-1', '1.5', 'soon', '2026-01-02'].map(read)).toEqual([null, null, null, null, null, null]);
  });
});
