import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { LargeReports } from './large-reports.js';

describe('large reports', () => {
  let reports: LargeReports;
  let begun: string[];
  let ends: Map<string, PromiseWithResolvers<string>>;

  beforeEach(() => {
    jest.useFakeTimers();
    [reports, begun, ends] = [new LargeReports(), [], new Map()];
  });
  afterEach(() => void jest.useRealTimers());

  /** @param name its organization, and a number */
  function ask(name: string): Promise<string> {
    return reports.run(name.slice(0, 1), () => {
      begun.push(name);
      const end = Promise.withResolvers<string>();
      ends.set(name, end);
      return end.promise;
    });
  }

  async function end(name: string): Promise<void> {
    ends.get(name)?.resolve(name);
    await jest.advanceTimersByTimeAsync(0);
  }

  it('are two at once, one of an organization, and begin in turn', async () => {
    const asked = ['a1', 'a2', 'a3', 'b1', 'c1'].map(ask);
    expect(begun).toEqual(['a1', 'b1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'b1', 'a2']);
    await end('b1');
    expect(begun).toEqual(['a1', 'b1', 'a2', 'c1']);
    for (const name of ['a2', 'a3', 'c1']) await end(name);
    expect(await Promise.all(asked)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
  });

  it('make room when one fails', async () => {
    const failed = ask('a1');
    const next = ask('a2');
    ends.get('a1')?.reject(new Error('the service is away'));
    await expect(failed).rejects.toThrow('the service is away');
    await jest.advanceTimersByTimeAsync(0);
    await end('a2');
    expect(await next).toBe('a2');
  });

  it('that have no turn within 5 s are 503, and take none later', async () => {
    const first = ask('a1');
    const late = ask('a2').catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await late).toMatchObject({ definition: serviceErrors.SERVICE_UNAVAILABLE, retryAfterSeconds: 1 });
    await end('a1');
    await first;
    expect(begun).toEqual(['a1']);
    const again = ask('a3');
    await end('a3');
    expect(await again).toBe('a3');
  });
});
