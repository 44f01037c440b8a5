import { describe, expect, it } from '@jest/globals';
import { equalShares } from './allocate-slots.policy.js';

describe('shares of channels', () => {
  it.each([
    ['what each wants where it fits', [3, 5], 10, [3, 5]],
    ['equal ones, and what a small one leaves', [2, 40, 40], 22, [2, 10, 10]],
    ['what cannot be divided to those that want least, of equal ones to the first', [40, 1, 40], 2, [1, 1, 0]],
    ['the last place to the smallest', [256, 10], 1, [0, 1]],
    ['nothing where there is nothing', [3, 5], 0, [0, 0]],
  ])('give %s', (_what, wanted, max, expected) => {
    expect(equalShares(wanted, max)).toEqual(expected);
  });
});
