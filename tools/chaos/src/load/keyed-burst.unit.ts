import { describe, expect, it } from '@jest/globals';
import { longestAfter } from './keyed-burst.js';

describe('the time after a moment until callers are answered', () => {
  it('goes to the final answer of each who had begun, also of one who is answered at once each time and repeats', () => {
    const sends = [
      { startedMs: 0, endedMs: 900 },
      // Between two requests at that moment.
      { startedMs: 0, endedMs: 9_000 },
      { startedMs: 1_500, endedMs: 20_000 },
    ];
    expect(longestAfter(1_000, sends)).toBe(8_000);
    expect(longestAfter(1_000, sends.slice(0, 1))).toBe(0);
  });
});
