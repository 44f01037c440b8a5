import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RequestFreshness } from './request-freshness.js';

describe('the freshness of requests', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('is in doubt after the process stood still, until the server has answered a PING', async () => {
    const pong = Promise.withResolvers<void>();
    const freshness = new RequestFreshness({ flush: () => pong.promise });
    jest.advanceTimersByTime(10_000);
    expect(freshness.ageMaxMs()).toBe(0);
    // The clock goes on while no timer fires: what SIGSTOP looks like from inside.
    const before = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(before + 3_000);
    expect([freshness.ageMaxMs(), freshness.directAgeMaxMs()]).toEqual([Infinity, Infinity]);
    pong.resolve();
    await pong.promise;
    await Promise.resolve();
    expect(freshness.ageMaxMs()).toBe(0);
    freshness.stop();
    jest.restoreAllMocks();
  });

  it('takes a shorter gap from what is read until the next tick, before the late tick and after it', () => {
    const freshness = new RequestFreshness({ flush: () => Promise.resolve() });
    const startMs = performance.now();
    const now = jest.spyOn(performance, 'now');
    now.mockReturnValue(startMs + 1_500);
    expect([freshness.ageMaxMs(), freshness.directAgeMaxMs()]).toEqual([1_000, 1_000]);
    jest.advanceTimersToNextTimer();
    expect(freshness.ageMaxMs()).toBe(1_000);
    now.mockReturnValue(startMs + 2_000);
    jest.advanceTimersToNextTimer();
    expect(freshness.ageMaxMs()).toBe(0);
    freshness.stop();
    jest.restoreAllMocks();
  });
});
