import { describe, expect, it } from '@jest/globals';
import { feedRoom, nextLookMs } from './feed-window.policy.js';

describe('the window of a lane', () => {
  it('is three seconds of its rate, at least one recipient and at most 3,000', () => {
    expect(feedRoom({ waiting: 225, perSecond: 80 })).toBe(15);
    expect(feedRoom({ waiting: 240, perSecond: 80 })).toBe(0);
    expect(feedRoom({ waiting: 0, perSecond: 1 / 3_600 })).toBe(1);
    expect(feedRoom({ waiting: 1, perSecond: 1 / 3_600 })).toBe(0);
    expect(feedRoom({ waiting: 0, perSecond: 100_000 })).toBe(3_000);
  });

  it('is filled in steps of a quarter of a second, or of 20 recipients, or of a second', () => {
    const step = (perSecond: number): number => feedRoom({ waiting: 0, perSecond });
    expect([step(400), step(80), step(40), step(20), step(5)]).toEqual([100, 20, 20, 20, 5]);
  });

  it('is looked at again when a step is missing', () => {
    expect(nextLookMs({ waiting: 240, perSecond: 80 }, true)).toBe(250);
    expect(nextLookMs({ waiting: 120, perSecond: 40 }, true)).toBe(500);
    expect(nextLookMs({ waiting: 15, perSecond: 5 }, true)).toBe(1_000);
    expect(nextLookMs({ waiting: 1, perSecond: 1 / 3_600 }, true)).toBe(3_598_000);
  });

  it('is filled half as fast again as it empties, at most ten times a second', () => {
    const fill = (perSecond: number): number => Math.round(nextLookMs({ waiting: 0, perSecond }, true));
    expect([fill(5), fill(40), fill(80), fill(400), fill(100_000)]).toEqual([667, 333, 167, 167, 167]);
  });

  it('is looked at now and then while the lane does not move', () => {
    expect(nextLookMs({ waiting: 1, perSecond: 1 / 3_600 }, false)).toBe(5_000);
    expect(nextLookMs({ waiting: 0, perSecond: 0 }, true)).toBe(5_000);
    expect(nextLookMs({ waiting: 240, perSecond: 80 }, false)).toBe(500);
  });
});
