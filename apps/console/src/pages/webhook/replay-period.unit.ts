import { describe, expect, it } from '@jest/globals';
import { localTime, sinceOf } from './replay-period.js';

describe('the beginning of a replay', () => {
  it('is what was proposed, to the millisecond, and not the minute that its input shows', () => {
    const createdAt = '2026-01-20T09:03:03.584Z';
    expect(sinceOf(localTime(new Date(createdAt)), createdAt)).toBe(createdAt);
  });

  it('is what was chosen, also when that is earlier', () => {
    const chosen = '2026-01-20T08:30:00.000Z';
    expect(sinceOf(localTime(new Date(chosen)), '2026-01-20T09:03:03.584Z')).toBe(chosen);
  });
});
