import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RateAnswers, type TakenRate } from './rate-limit.policy.js';

describe('the rate answers of a batch', () => {
  const SECOND = 1_000_000;
  type Numbers = [isGranted: boolean, remaining: number, resetSeconds: number, retryAfterSeconds: number];
  const rests = [true, 3, 0, 1] satisfies Numbers;
  const used = [true, 0, 3, 1] satisfies Numbers;

  it.each<[name: string, taken: TakenRate, costs: readonly (0 | 1)[], numbers: readonly Numbers[]]>([
    [
      'count a burst of three down and refuse the fourth; what costs nothing passes all the same',
      { ahead: 3 * SECOND, interval: SECOND, burst: 3, granted: 3 },
      [1, 1, 0, 1, 1, 0],
      [[true, 2, 1, 1], [true, 1, 2, 1], [true, 1, 2, 1], used, [false, 0, 3, 1], used],
    ],
    [
      'round waits up and what remains down, where the clock stands between two requests',
      { ahead: 3.7 * SECOND, interval: 2.5 * SECOND, burst: 2, granted: 1 },
      [0, 1, 1],
      [
        [true, 1, 2, 1],
        [true, 0, 4, 2],
        [false, 0, 4, 2],
      ],
    ],
    [
      'refuse all where the rate is used up, and say when one request passes',
      { ahead: 600 * SECOND, interval: 60 * SECOND, burst: 10, granted: 0 },
      [1, 1, 0],
      [
        [false, 0, 600, 60],
        [false, 0, 600, 60],
        [true, 0, 600, 60],
      ],
    ],
    [
      'have the whole burst where the arrival time lies in the past',
      { ahead: -7 * SECOND, interval: SECOND, burst: 3, granted: 0 },
      [0, 0],
      [rests, rests],
    ],
    [
      'never remain below zero, where a larger burst was used before',
      { ahead: 9 * SECOND, interval: SECOND, burst: 3, granted: 0 },
      [0, 1],
      [
        [true, 0, 9, 7],
        [false, 0, 9, 7],
      ],
    ],
  ])('%s', (_name, taken, costs, numbers) => {
    const answers = new RateAnswers(taken);
    const seen = costs.map((cost): Numbers => {
      const { isGranted, rate, retryAfterSeconds } = answers.next(cost);
      expect(rate.limit).toBe(taken.burst);
      return [isGranted, rate.remaining, rate.resetSeconds, retryAfterSeconds];
    });
    expect(seen).toEqual(numbers);
  });

  it('equal a sequential generic cell rate algorithm, whatever stood before and was asked', () => {
    fc.assert(
      fc.property(
        fc.record({
          interval: fc.integer({ min: 1, max: 10_000_000 }),
          burst: fc.integer({ min: 1, max: 50 }),
          before: fc.integer({ min: -100_000_000, max: 100_000_000 }),
          costs: fc.array(fc.constantFrom<0 | 1>(0, 1, 1), { minLength: 1, maxLength: 80 }),
        }),
        ({ interval, burst, before, costs }) => {
          const asked = costs.filter((cost) => cost === 1).length;
          const start = Math.max(0, before);
          // What the statement computes, in its own words.
          const granted = Math.min(asked, Math.max(0, Math.trunc((burst * interval - start) / interval)));
          const ahead = asked === 0 ? before : start + granted * interval;
          const answers = new RateAnswers({ ahead, interval, burst, granted });
          let arrival = start;
          for (const cost of costs) {
            const answer = answers.next(cost);
            const passes = cost === 0 || arrival <= (burst - 1) * interval;
            if (cost === 1 && passes) arrival += interval;
            expect(answer.isGranted).toBe(passes);
            expect(answer.rate.remaining).toBe(Math.max(0, Math.floor((burst * interval - arrival) / interval)));
            expect(answer.rate.resetSeconds).toBe(Math.ceil(arrival / 1_000_000));
            const waitSeconds = Math.ceil((arrival - (burst - 1) * interval) / 1_000_000);
            expect([answer.rate.limit, answer.retryAfterSeconds]).toEqual([burst, Math.max(1, waitSeconds)]);
          }
        },
      ),
    );
  });
});
