import { describe, expect, it } from '@jest/globals';
import { UnmatchedStatuses } from './unmatched-statuses.js';

describe('a status without a known message', () => {
  it('is looked for again for 5 s from its first look, however often it was delivered before', () => {
    let nowMs = 600_000;
    const unmatched = new UnmatchedStatuses(() => nowMs);
    expect(unmatched.isOverdue('late')).toBe(false);
    nowMs += 4_999;
    expect([unmatched.isOverdue('late'), unmatched.isOverdue('other')]).toEqual([false, false]);
    nowMs += 1;
    expect([unmatched.isOverdue('late'), unmatched.isOverdue('other')]).toEqual([true, false]);
    // The transaction that dropped it was rolled back.
    expect(unmatched.isOverdue('late')).toBe(true);
  });

  it('is forgotten after a while', () => {
    let nowMs = 0;
    const unmatched = new UnmatchedStatuses(() => nowMs);
    unmatched.isOverdue('old');
    nowMs = 100_000;
    unmatched.isOverdue('new');
    expect(unmatched.isOverdue('old')).toBe(false);
  });
});
