import { describe, expect, it } from '@jest/globals';
import { ClaimWindow } from './claim-window.js';

describe('the number of retries under way', () => {
  it('shrinks to one while none can begin, and is full again soon after the first that does', () => {
    const window = new ClaimWindow(64);
    const sizesAfter = (change: 'narrow' | 'widen'): number[] =>
      Array.from({ length: 7 }, () => (window[change](), window.size));
    expect(sizesAfter('narrow')).toEqual([32, 16, 8, 4, 2, 1, 1]);
    expect(sizesAfter('widen')).toEqual([2, 4, 8, 16, 32, 64, 64]);
    expect(window.isProbe).toBe(false);
  });
});
