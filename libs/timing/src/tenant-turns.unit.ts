import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TenantTurns, type TurnLimits } from './index.js';

describe('the turns of tenants', () => {
  let begun: string[];
  let ends: Map<string, PromiseWithResolvers<string>>;

  beforeEach(() => {
    jest.useFakeTimers();
    [begun, ends] = [[], new Map()];
  });
  afterEach(() => void jest.useRealTimers());

  /** @returns what begins a piece of work; its name is its tenant and a number */
  function under(limits: TurnLimits): (name: string) => Promise<string> {
    const turns = new TenantTurns(limits);
    return (name) =>
      turns.run(name.slice(0, 1), () => {
        begun.push(name);
        const end = Promise.withResolvers<string>();
        ends.set(name, end);
        return end.promise;
      });
  }

  async function end(...names: string[]): Promise<void> {
    for (const name of names) ends.get(name)?.resolve(name);
    await jest.advanceTimersByTimeAsync(0);
  }

  it('are as many as each may have at once, in order, and wait for no other tenant', async () => {
    const asked = ['a1', 'a2', 'a3', 'a4', 'b1'].map(under({ eachMax: 2 }));
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('a2');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    await end('a1', 'a3');
    await end('a4', 'b1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
    expect(await Promise.all(asked)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
  });

  it('are as many as all may have at once, and none takes the places of a tenant that waits', async () => {
    const asked = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(under({ eachMax: 1, allMax: 2 }));
    expect(begun).toEqual(['a1', 'b1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'b1', 'a2']);
    await end('a2');
    expect(begun).toEqual(['a1', 'b1', 'a2', 'c1']);
    await end('b1');
    await end('c1', 'b2', 'a3');
    await end('a3');
    expect(begun).toEqual(['a1', 'b1', 'a2', 'c1', 'b2', 'a3']);
    expect(await Promise.all(asked)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c1']);
  });

  it('go on behind work that fails', async () => {
    const ask = under({ eachMax: 1 });
    const [failed, next] = [ask('a1'), ask('a2')];
    ends.get('a1')?.reject(new Error('failed'));
    await expect(failed).rejects.toThrow('failed');
    await jest.advanceTimersByTimeAsync(0);
    await end('a2');
    expect(await next).toBe('a2');
  });

  it('do not come after their time, and leave nothing behind', async () => {
    const ask = under({ eachMax: 1, allMax: 1, wait: { maxMs: 5_000, late: () => new RangeError('late') } });
    const first = ask('a1');
    const late = Promise.allSettled([ask('a2'), ask('b1')]);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(begun).toEqual(['a1']);
    expect(await late).toMatchObject([{ reason: new RangeError('late') }, { reason: new RangeError('late') }]);
    await end('a1');
    await first;
    expect(begun).toEqual(['a1']);
    const again = ask('b2');
    await end('b2');
    expect(await again).toBe('b2');
  });
});
