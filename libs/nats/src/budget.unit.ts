import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Budget } from './budget.js';

describe('a budget', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('aborts its signal when it is spent, not before, and never once the request is answered', () => {
    const [open, answered] = [new Budget(1_000), new Budget(1_000)];
    const signals = [open.signal, answered.signal];
    jest.advanceTimersByTime(999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    expect(open.leftMs).toBe(1);
    answered.close();
    jest.advanceTimersByTime(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(open.signal.reason).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
  });

  it('whose signal is asked for when it is spent is aborted at once', () => {
    const budget = new Budget(10);
    jest.advanceTimersByTime(11);
    expect([budget.leftMs, budget.signal.aborted]).toEqual([-1, true]);
  });

  it('starts no timer for a handler that asks for no signal, nor after the answer', () => {
    const budget = new Budget(1_000);
    budget.close();
    expect(budget.signal.aborted).toBe(false);
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([
    ['8000', 0, 7_750],
    ['1000', 0, 900],
    ['1000', 600, 300],
    ['1000', 1_900, -1_000],
    ['0', 0, 0],
    ['-5', 0, -4.5],
    [undefined, 0, 9_750],
    ['', 0, 9_750],
    ['soon', 0, 9_750],
  ])(
    'of a caller that waits for %j ms, read %d ms late, leaves %d ms and time for the way back',
    (header, ageMs, left) => {
      expect(Budget.received(header, ageMs).leftMs).toBe(left);
    },
  );
});
