import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@switchboard/testing/fake-clock';
import { SessionRate } from './session-rate.js';

describe('the requests of sessions', () => {
  const clock = new FakeClock();
  const rate = new SessionRate(clock);
  const taken = (sessionId: string, tries: number, userId = 'a person'): number => {
    let count = 0;
    for (let index = 0; index < tries; index++) {
      try {
        rate.count(sessionId, userId);
        count++;
      } catch (error) {
        expect(error).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
      }
    }
    return count;
  };

  it('come 600 at once and 20 a second from then on, whatever the other sessions of the person ask', () => {
    expect([taken('a', 700), taken('b', 1)]).toEqual([600, 1]);
    clock.advance(1_000);
    expect([taken('a', 100), taken('b', 100)]).toEqual([20, 100]);
    clock.advance(60_000);
    expect(taken('a', 700)).toBe(600);
  });

  it('are counted on when a session goes on under another id', () => {
    expect(taken('c', 600, 'another')).toBe(600);
    rate.goOn('c', 'd');
    expect([taken('d', 100, 'another'), taken('e', 1, 'another')]).toEqual([0, 1]);
    rate.goOn('never seen', 'f');
    expect(taken('f', 700, 'another')).toBe(600);
  });

  it('come 3,000 at once of all sessions of a person, and 100 a second from then on', () => {
    const ofAll = (): number => ['g', 'h', 'i', 'j', 'k', 'l'].reduce((sum, id) => sum + taken(id, 600, 'busy'), 0);
    expect([ofAll(), taken('m', 1, 'a third')]).toEqual([3_000, 1]);
    clock.advance(1_000);
    expect(ofAll()).toBe(100);
  });
});
