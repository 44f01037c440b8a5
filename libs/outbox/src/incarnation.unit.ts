import { describe, expect, it } from '@jest/globals';
import { compareIncarnations } from './incarnation.policy.js';

const own = { number: 7, token: 'g', previousToken: 'f', consumerEpoch: 0 };
const mirror = (number: number, token: string): { number: number; token: string; consumerEpoch: number } => ({
  number,
  token,
  consumerEpoch: 0,
});

describe('a comparison of a database with its copy at the broker', () => {
  it.each([
    ['is the same when the broker has its token', own, mirror(7, 'g'), 'same'],
    ['is the same when its last token is still on its way to the broker', own, mirror(6, 'f'), 'same'],
    ['is restored when the broker has a newer token', own, mirror(9, 'i'), 'restored'],
    ['is restored when the broker has another token of the same number', own, mirror(7, 'x'), 'restored'],
    ['is ahead when the broker has an older token', own, mirror(3, 'c'), 'ahead'],
    ['is ahead when the broker has forgotten', own, null, 'ahead'],
    ['is a first one when the database was never compared', undefined, mirror(9, 'i'), 'first'],
    ['is a first one when neither holds anything', undefined, null, 'first'],
  ] as const)('%s', (_name, ours, theirs, comparison) => {
    expect(compareIncarnations(ours, theirs)).toBe(comparison);
  });
});
