import { describe, expect, it } from '@jest/globals';
import { isUnavailable } from './postgres-errors.js';
import { TenantTurns } from './tenant-turns.js';

describe('the turns of a tenant', () => {
  it('are as many as it may have at once, in order, and wait for no other tenant', async () => {
    const turns = new TenantTurns(2, 60_000);
    const begun: string[] = [];
    const ends: Record<string, () => void> = {};
    const start = (tenant: string, name: string): Promise<void> =>
      turns.run(tenant, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => (ends[name] = resolve));
      });
    const all = [start('a', 'a1'), start('a', 'a2'), start('a', 'a3'), start('a', 'a4'), start('b', 'b1')];
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    ends['a2']?.();
    await all[1];
    await new Promise(setImmediate);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    ends['a1']?.();
    ends['a3']?.();
    await all[0];
    await new Promise(setImmediate);
    ends['a4']?.();
    ends['b1']?.();
    await Promise.all(all);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  it('go on behind work that fails, and do not come after their time', async () => {
    const turns = new TenantTurns(1, 20);
    const end = Promise.withResolvers<void>();
    const first = turns.run('a', () => end.promise);
    const late = await turns.run('a', async () => 'too late').catch((error: unknown) => error);
    expect(isUnavailable(late)).toBe(true);
    end.reject(new Error('failed'));
    await expect(first).rejects.toThrow('failed');
    expect(await turns.run('a', async () => 'next')).toBe('next');
  });
});
