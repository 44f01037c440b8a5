import { describe, expect, it } from '@jest/globals';
import { many, overLocks, passMs, stopClock, turns, type Item } from '../test/many-locks.js';

stopClock();

describe('coalesce with items that wait behind the locks of many', () => {
  /** How many of the calls have their outcome. */
  const countEnded = (calls: readonly Promise<number>[]): { readonly ended: number } => {
    const count = { ended: 0 };
    for (const call of calls) void call.catch(() => undefined).finally(() => count.ended++);
    return count;
  };

  /** Returns when each of the fifty was found by itself. */
  const untilFound = async (probed: readonly Item[][]): Promise<void> => {
    while (new Set(probed.flat().map(({ tenant }) => tenant)).size < many.length) await turns();
    await turns();
  };

  it('ends the wait of all without a signal 5 s after they were set apart, wherever the turn of their tenant is', async () => {
    const { call, probed, endWaits } = overLocks(({ tenant }) => tenant.startsWith('locked'));
    const locked = many.map((value) => call({ tenant: `locked-${value}`, value }));
    expect(await call({ tenant: 'free', value: 1 })).toBe(1);
    await untilFound(probed);
    locked.push(...many.map((value) => call({ tenant: `locked-${value}`, value: 100 + value })));
    const count = countEnded(locked);
    passMs(5_001);
    endWaits();
    await turns();
    expect(count.ended).toBe(locked.length);
    await expect(locked[0]).rejects.toMatchObject({ code: '55P03' });
    await call.drain();
  });

  it('answers one of fifty that is free again behind short turns of the others', async () => {
    const gone = new AbortController();
    const unlocked = new Set<string>();
    const { call, probed, endWaits } = overLocks(({ tenant }) => tenant.startsWith('locked') && !unlocked.has(tenant));
    const locked = many.map((value) => call({ tenant: `locked-${value}`, value }, gone.signal));
    expect(await call({ tenant: 'free', value: 1 })).toBe(1);
    await untilFound(probed);
    unlocked.add('locked-20');
    const count = countEnded(locked);
    // Of the one that was tried before the others were found; none after it waits for so long.
    endWaits();
    for (let tried = 0; tried < 20; tried++) await turns();
    expect(count.ended).toBe(1);
    gone.abort(new Error('gone'));
    endWaits();
    await Promise.allSettled(locked);
    await call.drain();
  });

  it('ends the wait of all whose callers have gone, although others of their tenants wait on', async () => {
    const [gone, on] = [new AbortController(), new AbortController()];
    const { call, probed, endWaits } = overLocks(({ tenant }) => tenant.startsWith('locked'));
    const left = many.map((value) => call({ tenant: `locked-${value}`, value }, gone.signal));
    const waiting = many.map((value) => call({ tenant: `locked-${value}`, value: 100 + value }, on.signal));
    expect(await call({ tenant: 'free', value: 1 })).toBe(1);
    const [count, others] = [countEnded(left), countEnded(waiting)];
    await untilFound(probed);
    gone.abort(new Error('gone'));
    for (let ended = 0; ended < 2; ended++) {
      endWaits();
      await turns();
    }
    expect([count.ended, others.ended]).toEqual([left.length, 0]);
    on.abort(new Error('gone'));
    endWaits();
    await Promise.allSettled([...left, ...waiting]);
    await call.drain();
  });
});
