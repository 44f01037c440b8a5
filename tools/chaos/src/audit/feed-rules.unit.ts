import { describe, expect, it } from '@jest/globals';
import { feedFindings, type FeedLedger, type ReadEvent } from './feed-rules.policy.js';

const read = (dataId: string, sequence: number, more: Partial<ReadEvent> = {}): ReadEvent => {
  return { dataId, conversationId: 'c1', sequence, body: `body of ${dataId}`, ...more };
};
const kept: FeedLedger = {
  committed: ['e1', 'e2'],
  bodies: new Map(['e1', 'e2'].map((id) => [id, `body of ${id}`])),
  read: [read('e1', 1), read('e2', 2)],
};
const rulesOf = (more: Partial<FeedLedger>): readonly string[] =>
  feedFindings({ ...kept, ...more }).map(({ rule }) => rule);

describe('the rules of the feed', () => {
  it('find nothing when each event came once, as it is stored, in order', () => {
    expect(rulesOf({})).toEqual([]);
    expect(rulesOf({ read: [read('e2', 1, { conversationId: 'c2' }), read('e1', 1)] })).toEqual([]);
  });

  it('find what the reader did not get, got twice, or got otherwise', () => {
    expect(rulesOf({ read: [read('e1', 1)] })).toEqual(['feed.lost']);
    expect(rulesOf({ read: [...kept.read, read('e2', 2)] })).toEqual(['feed.doubled']);
    expect(rulesOf({ read: [read('e1', 1), read('e2', 2, { body: 'other' })] })).toEqual(['feed.changed']);
  });

  it('find what came behind a newer event of its conversation', () => {
    expect(rulesOf({ read: kept.read.toReversed() })).toEqual(['feed.order']);
  });
});
