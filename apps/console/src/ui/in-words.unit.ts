import { describe, expect, it } from '@jest/globals';
import { inWords, waitSentence } from './in-words.js';

const now = new Date(2026, 4, 20, 10, 0).getTime();
const words = (...parts: readonly [day: number, hour: number, minute?: number, second?: number]) =>
  inWords(new Date(2026, 4, ...parts), now);

describe('a moment in words', () => {
  it('is counted in full minutes and hours within a day', () => {
    expect([words(20, 9, 59, 30), words(20, 9, 58, 1), words(20, 8, 1), words(19, 10, 1)]).toEqual([
      'just now',
      '1 minute ago',
      '1 hour ago',
      '23 hours ago',
    ]);
  });

  it('is counted in days of the calendar after 24 hours: the day before yesterday is no yesterday', () => {
    // 24, 30 and 35 hours ago; the last two on either side of midnight.
    expect([words(19, 10), words(19, 4), words(18, 23)]).toEqual(['yesterday', 'yesterday', '2 days ago']);
    expect([words(21, 10), words(22, 1), words(26, 23)]).toEqual(['tomorrow', 'in 2 days', 'in 6 days']);
  });

  it('is a date from seven days on', () => {
    expect([words(14, 0), words(13, 23), words(27, 0)]).toEqual(['6 days ago', 'May 13, 2026', 'May 27, 2026']);
  });

  it('is now where the clock of the server is a little ahead, and soon within a minute', () => {
    expect([words(20, 10, 0, 9), words(20, 10, 0, 50), words(20, 10, 1)]).toEqual([
      'just now',
      'in less than a minute',
      'in 1 minute',
    ]);
  });
});

describe('a wait in words', () => {
  it.each([
    [0.2, 'Try again in 1 second.'],
    [60, 'Try again in 60 seconds.'],
    [61, 'Try again in 2 minutes, after 10:01.'],
    [900, 'Try again in 15 minutes, after 10:15.'],
  ])('%d s', (seconds, sentence) => {
    expect(waitSentence(seconds, now)).toBe(sentence);
  });
});
