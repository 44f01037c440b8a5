import { describe, expect, it } from '@jest/globals';
import { RequestIndex } from './request-index.js';

describe('RequestIndex', () => {
  it('finds every request by reference and recipient, in order, however often it has grown', () => {
    const index = new RequestIndex();
    const count = 5_000;
    for (let at = 0; at < count; at += 1) {
      index.add({
        arrivedAtMs: 1_000 + Math.floor(at / 2),
        arrivalOffset: at * 10,
        arrivalBytes: 9,
        reference: at % 10 === 0 ? null : `reference-${at % 2_000}`,
        recipient: String(at % 7),
      });
    }

    for (let at = 1; at < 2_000; at += at % 10 === 9 ? 2 : 1) {
      const expected = [at, at + 2_000, at + 4_000].filter((number) => number < count);
      expect(index.byReference(`reference-${at}`)).toEqual(expected);
    }
    expect(index.byReference('reference-10')).toEqual([]);
    expect(index.byRecipient('3')).toEqual(Array.from({ length: count }, (_, at) => at).filter((at) => at % 7 === 3));
    expect(index.get(4_999)).toMatchObject({ arrivalOffset: 49_990, answerBytes: 0 });
  });

  it('finds the first of the requests that arrived at or after a time', () => {
    const index = new RequestIndex();
    for (const arrivedAtMs of [10, 20, 20, 30]) {
      index.add({ arrivedAtMs, arrivalOffset: 0, arrivalBytes: 1, reference: null, recipient: '1' });
    }

    expect([5, 20, 21, 31].map((atMs) => index.firstSince(atMs))).toEqual([0, 1, 3, 4]);
  });
});
