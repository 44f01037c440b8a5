import { describe, expect, it } from '@jest/globals';
import { ClaimWindow } from './claim-window.js';

describe('the number of retries under way', () => {
  it('shrinks to one while none can begin, and is full again soon after the first that does', () => {
    const window = new ClaimWindow(64);
    const sizes = [false, false, false, false, false, false, false, true, true, true, true, true, true, true].map(
      (hasBegun) => (window.ended(hasBegun), window.size),
    );
    expect(sizes).toEqual([32, 16, 8, 4, 2, 1, 1, 2, 4, 8, 16, 32, 64, 64]);
    expect(window.isProbe).toBe(false);
  });
});
