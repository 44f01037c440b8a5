import { describe, expect, it, jest } from '@jest/globals';
import { coalesce, type Coalesced } from './coalesce.js';
import { serverError } from '../test/server-error.js';

interface Item {
  readonly tenant: string;
  readonly key: string;
  readonly isRefused?: boolean;
}

/** A function over serial keys of which some are locked. What it refuses takes no lock. */
function overKeys(isLocked: (item: Item) => boolean): {
  readonly call: Coalesced<Item, string>;
  readonly runs: string[][];
  readonly timeouts: string[][];
} {
  const runs: string[][] = [];
  const timeouts: string[][] = [];
  const call = coalesce<Item, string>({
    name: 'test',
    run: async (items) => {
      const names = items.map(({ tenant, key }) => `${tenant} ${key}`);
      runs.push(names);
      await new Promise(setImmediate);
      if (items.some((item) => !item.isRefused && isLocked(item))) {
        timeouts.push(names);
        throw serverError('55P03');
      }
      return items.map(({ key, isRefused = false }) => ({ ok: key, provesNothing: isRefused }));
    },
    tenant: ({ tenant }) => tenant,
    serialKey: ({ tenant, key }) => `${tenant} ${key}`,
    limits: { items: 100, bytes: 100, inFlight: 1, waiting: 400 },
  });
  return { call, runs, timeouts };
}

/** A locked item of the tenant, and that of another which was given with it: when both have their outcome. */
async function meetLock(call: Coalesced<Item, string>, tenant: string): Promise<void> {
  const gone = new AbortController();
  const locked = call({ tenant, key: 'locked' }, gone.signal);
  expect(await call({ tenant: 'other', key: 'o' })).toBe('o');
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  gone.abort(new Error('gone'));
  await expect(locked).rejects.toThrow('gone');
}

describe('coalesce with items that prove nothing', () => {
  it('answers all that is refused of a tenant after one timeout, however much of it is', async () => {
    const gone = new AbortController();
    const { call, timeouts } = overKeys(({ key }) => key === 'locked');
    const locked = call({ tenant: 'a', key: 'locked' }, gone.signal);
    const keys = Array.from({ length: 20 }, (_, index) => `${index}`);
    const refused = keys.map((key) => call({ tenant: 'a', key, isRefused: true }));
    expect(await Promise.all(refused)).toEqual(keys);
    expect(timeouts.filter((names) => names.length > 1).length).toBeLessThan(4);
    gone.abort(new Error('gone'));
    await expect(locked).rejects.toThrow('gone');
    await call.drain();
  });

  it('lets a tenant of which everything is refused share batches again when nothing of it has timed out for 5 s', async () => {
    const clock = jest.spyOn(performance, 'now');
    try {
      const { call, runs } = overKeys(({ key }) => key === 'locked');
      await meetLock(call, 'a');
      const together = (): Promise<string[]> =>
        Promise.all([call({ tenant: 'a', key: 'r', isRefused: true }), call({ tenant: 'other', key: 'o' })]);
      await together();
      await together();
      expect(runs.at(-1)).toHaveLength(1);
      clock.mockReturnValue(performance.now() + 5_001);
      await together();
      await together();
      expect(runs.at(-1)).toHaveLength(2);
      await call.drain();
    } finally {
      clock.mockRestore();
    }
  });
});
