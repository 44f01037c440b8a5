import { describe, expect, it } from '@jest/globals';
import { latestStart, startOf } from './start-time.js';

describe('the start of a bulk send', () => {
  it('is read in the zone of the browser', () => {
    expect(startOf('2030-02-01T09:30')).toEqual(new Date(2030, 1, 1, 9, 30));
  });

  it.each(['', '12026-02-01T09:30', '275761-02-01T09:30'])('is none where the field has "%s"', (scheduled) => {
    expect(startOf(scheduled)).toBeNull();
  });

  it('is at most 35 days ahead, in whole minutes', () => {
    const now = new Date(2030, 0, 10, 9, 30, 59);
    expect(latestStart(now)).toBe('2030-02-14T09:30');
  });
});
