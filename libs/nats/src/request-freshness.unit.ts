import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RequestFreshness } from './request-freshness.js';

describe('the freshness of requests', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('is in doubt after the process stood still, until the server has answered a PING', async () => {
    const pong = Promise.withResolvers<void>();
    const freshness = new RequestFreshness({ flush: () => pong.promise });
    jest.advanceTimersByTime(10_000);
    expect(freshness.isDoubtful()).toBe(false);
    // The clock goes on while no timer fires: what SIGSTOP looks like from inside.
    const before = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(before + 3_000);
    expect(freshness.isDoubtful()).toBe(true);
    pong.resolve();
    await pong.promise;
    await Promise.resolve();
    expect(freshness.isDoubtful()).toBe(false);
    freshness.stop();
    jest.restoreAllMocks();
  });
});
