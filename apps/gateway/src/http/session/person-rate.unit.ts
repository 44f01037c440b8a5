import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@switchboard/testing/fake-clock';
import { PersonRate } from './person-rate.js';

describe('the requests of a person', () => {
  it('come 600 at once and 20 a second from then on, whatever others ask', () => {
    const clock = new FakeClock();
    const rate = new PersonRate(clock);
    const taken = (userId: string, tries: number): number => {
      let count = 0;
      for (let index = 0; index < tries; index++) {
        try {
          rate.count(userId);
          count++;
        } catch (error) {
          expect(error).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
        }
      }
      return count;
    };
    expect([taken('a', 700), taken('b', 1)]).toEqual([600, 1]);
    clock.advance(1_000);
    expect([taken('a', 100), taken('b', 100)]).toEqual([20, 100]);
    clock.advance(60_000);
    expect(taken('a', 700)).toBe(600);
  });
});
