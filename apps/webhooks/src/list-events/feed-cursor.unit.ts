import { describe, expect, it } from '@jest/globals';
import { isCuid, newCuid } from '@switchboard/contracts/grammar/cuid';
import { feedCursor, feedPosition } from './feed-cursor.policy.js';

const [own, other] = [newCuid(), newCuid()];

describe('a cursor of the feed', () => {
  it.each([0, 1, 36 ** 8, Number.MAX_SAFE_INTEGER])(
    'has the position %p of its organization, and of no other',
    (at) => {
      const cursor = feedCursor(own, at);
      expect(isCuid(cursor) && cursor.length === newCuid().length).toBe(true);
      expect(feedPosition(own, cursor)).toBe(at);
      expect(feedPosition(other, cursor)).toBeNull();
    },
  );

  it('that was given before cursors named their feed is good', () => {
    expect(feedPosition(own, `c${(1_234).toString(36).padStart(24, '0')}`)).toBe(1_234);
  });

  it.each(['', 'c', newCuid(), `c${'z'.repeat(24)}`, `c${'0'.repeat(8)}${'z'.repeat(16)}`, `C${'0'.repeat(24)}`])(
    'is not %p',
    (text) => {
      expect(feedPosition(own, text)).toBeNull();
    },
  );
});
