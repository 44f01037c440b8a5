import { describe, expect, it } from '@jest/globals';
import { refusedWords } from './refused-words.js';

describe('the words for a response that was no delivery', () => {
  it('name the status, and of a 2xx that its response was not whole', () => {
    expect([302, 500].map(refusedWords)).toEqual([
      'It answered 302; only 2xx counts.',
      'It answered 500; only 2xx counts.',
    ]);
    expect(refusedWords(200)).toBe('It answered 200, but not with its whole response within 10 seconds.');
  });
});
