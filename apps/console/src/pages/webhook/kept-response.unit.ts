import { describe, expect, it } from '@jest/globals';
import { mayBeCut } from './kept-response.js';

/** What is kept of a longer response. */
const kept = (text: string): string =>
  new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, 1_024), { stream: true });

describe('a response that is shown', () => {
  it.each(['x', 'é', '€', 'x€', '😀', 'x😀'])('may be cut where it has as many bytes as are kept, of %s', (part) => {
    const [first = '', ...rest] = part;
    const long = rest.length === 0 ? first.repeat(2_000) : first + rest.join('').repeat(1_000);
    expect(mayBeCut(kept(long))).toBe(true);
  });

  it('is whole where it has fewer', () => {
    expect(mayBeCut('x'.repeat(1_020))).toBe(false);
    expect(mayBeCut('é'.repeat(510))).toBe(false);
  });
});
