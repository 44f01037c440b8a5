import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { everyMinute, minuteCount } from './minute-tick.js';

describe('the tick of every minute', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('comes to all by one timer, which ends with the last of them', () => {
    const [first, second] = [jest.fn(), jest.fn()];
    const before = minuteCount();
    const ends = [everyMinute(first), everyMinute(second)];
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(120_000);
    expect([first.mock.calls.length, second.mock.calls.length, minuteCount() - before]).toEqual([2, 2, 2]);
    ends[0]?.();
    jest.advanceTimersByTime(60_000);
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([2, 3]);
    ends[1]?.();
    expect(jest.getTimerCount()).toBe(0);
  });
});
