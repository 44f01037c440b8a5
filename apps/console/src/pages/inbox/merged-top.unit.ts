import { describe, expect, it } from '@jest/globals';
import { inPages, mergedTop } from './merged-top.js';

const at = (id: string, minute: number) => ({
  id,
  lastMessageAt: `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`,
  createdAt: '2026-01-01T00:00:00.000Z',
});
const idsOf = (page: { readonly items: readonly { readonly id: string }[] }): string =>
  page.items.map(({ id }) => id).join('');

describe('the newest page on top of what was read', () => {
  const read = [
    { items: [at('a', 50), at('b', 40)], nextCursor: 'after b' },
    { items: [at('c', 30), at('d', 20)], nextCursor: 'after d' },
  ];

  it('moves what got a message up, keeps what is older, and goes on where reading ended', () => {
    const merged = mergedTop(read, { items: [at('c', 55), at('a', 50)], nextCursor: 'after a' });
    expect([idsOf(merged), merged.nextCursor]).toEqual(['cabd', 'after d']);
  });

  it('drops what has left the list', () => {
    const merged = mergedTop(read, { items: [at('b', 40), at('c', 30)], nextCursor: 'after c' });
    expect(idsOf(merged)).toBe('bcd');
  });

  it('is the list where there is no more, and goes on behind the page where nothing older was read', () => {
    expect(mergedTop(read, { items: [at('e', 1)] })).toEqual({ items: [at('e', 1)] });
    const alone = mergedTop([{ items: [at('a', 50)] }], { items: [at('x', 59), at('a', 50)], nextCursor: 'after a' });
    expect([idsOf(alone), alone.nextCursor]).toEqual(['xa', 'after a']);
  });
});

describe('a page in pages of a size', () => {
  it('has every item once, and goes on behind the last one', () => {
    const pages = inPages({ items: [1, 2, 3, 4, 5], nextCursor: 'after 5' }, 2);
    expect(pages).toEqual([{ items: [1, 2] }, { items: [3, 4] }, { items: [5], nextCursor: 'after 5' }]);
    expect(inPages({ items: [1, 2] }, 2)).toEqual([{ items: [1, 2] }]);
    expect(inPages({ items: [] }, 2)).toEqual([{ items: [] }]);
  });
});
