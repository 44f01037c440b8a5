import { describe, expect, it } from '@jest/globals';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { FakeClock } from '@switchboard/testing/fake-clock';
import { FailedAttempts } from './failed-attempts.js';

describe('answers to bad keys', () => {
  const failed = (): { clock: FakeClock; keys: FailedAttempts; pauses: number[] } => {
    const clock = new FakeClock();
    const pauses: number[] = [];
    const pause = (durationMs: number): Promise<void> => {
      pauses.push(durationMs);
      return Promise.resolve();
    };
    return { clock, pauses, keys: new FailedAttempts(clock, pause) };
  };

  it('leave at a multiple of 25 ms after the arrival, however long the look-up took', async () => {
    const { clock, keys, pauses } = failed();
    for (const tookMs of [0, 1, 24, 25, 26, 60]) {
      const arrivedMs = clock.monotonic();
      clock.advance(tookMs);
      expect((await keys.refusalFor({ address: `address ${tookMs}`, arrivedMs })).code).toBe('UNAUTHORIZED');
      expect((tookMs + (pauses.at(-1) ?? 0)) % 25).toBe(0);
      expect(tookMs + (pauses.at(-1) ?? 0)).toBeGreaterThanOrEqual(25);
    }
  });

  it('slow a flood of one network down, then turn it away in time, and leave other networks alone', async () => {
    const { clock, keys, pauses } = failed();
    const codes: string[] = [];
    const flood = (index: number): string => `2001:db8:0:1::${index.toString(16)}`;
    for (let count = 0; count < 500; count++)
      codes.push((await keys.refusalFor({ address: flood(count), arrivedMs: clock.monotonic() })).code);
    expect(codes.filter((code) => code === 'UNAUTHORIZED')).toHaveLength(100 + 500 / 50);
    expect(codes.at(-1)).toBe('RATE_LIMITED');
    expect(Math.max(...pauses)).toBe(500);
    await keys.refusalFor({ address: '2001:db8:0:2::1', arrivedMs: clock.monotonic() });
    expect(pauses.at(-1)).toBe(25);
    clock.advance(60_000);
    await keys.refusalFor({ address: flood(1), arrivedMs: clock.monotonic() });
    expect(pauses.at(-1)).toBe(25);
  });
});

describe('answers to bad passwords', () => {
  it('leave as those to bad keys do; what is no refusal of a password, and a right one, leave at once', async () => {
    const clock = new FakeClock();
    const pauses: number[] = [];
    const keys = new FailedAttempts(clock, async (durationMs) => pauses.push(durationMs));
    const attempt = { address: 'flood', arrivedMs: clock.monotonic() };
    const refused = (error: Error): Promise<unknown> =>
      keys.delayRefusal(attempt, () => Promise.reject(error)).catch((thrown: unknown) => thrown);
    const [wrong, limited, busy] = [
      new AppError(gatewayErrors.UNAUTHORIZED, 'Wrong email or password'),
      new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds: 600 }),
      new AppError(serviceErrors.SERVICE_UNAVAILABLE),
    ];
    for (const error of [wrong, limited, busy]) expect(await refused(error)).toBe(error);
    expect(pauses).toEqual([25, 25, 25]);
    const others = [new AppError(serviceErrors.CONFLICT), new Error('a bug')];
    for (const error of others) expect(await refused(error)).toBe(error);
    expect(await keys.delayRefusal(attempt, async () => 'right')).toBe('right');
    expect(pauses).toHaveLength(3);
    for (let count = 0; count < 500; count++) await refused(wrong);
    expect(await refused(wrong)).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 2 });
    expect(await refused(limited)).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 600 });
  });
});
