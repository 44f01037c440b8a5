import { describe, expect, it } from '@jest/globals';
import { feedRoom, nextLookMs } from './feed-window.policy.js';

describe('the window of a lane', () => {
  it('is three seconds of its rate, at least one recipient and at most 3,000', () => {
    expect(feedRoom({ waiting: 0, perSecond: 80 })).toBe(240);
    expect(feedRoom({ waiting: 200, perSecond: 80 })).toBe(40);
    expect(feedRoom({ waiting: 0, perSecond: 1 / 3_600 })).toBe(1);
    expect(feedRoom({ waiting: 1, perSecond: 1 / 3_600 })).toBe(0);
    expect(feedRoom({ waiting: 0, perSecond: 100_000 })).toBe(3_000);
  });

  it('is looked at again two seconds before the lane is empty', () => {
    expect(nextLookMs({ waiting: 240, perSecond: 80 }, true)).toBe(1_000);
    expect(nextLookMs({ waiting: 1, perSecond: 1 / 3_600 }, true)).toBe(3_598_000);
    expect(nextLookMs({ waiting: 20, perSecond: 80 }, true)).toBe(100);
  });

  it('is looked at now and then while the lane does not move', () => {
    expect(nextLookMs({ waiting: 1, perSecond: 1 / 3_600 }, false)).toBe(5_000);
    expect(nextLookMs({ waiting: 0, perSecond: 0 }, true)).toBe(5_000);
    expect(nextLookMs({ waiting: 240, perSecond: 80 }, false)).toBe(1_000);
  });
});
