import { describe, expect, it } from '@jest/globals';
import { coalesce } from './coalesce.js';
import { many, overLocks, passMs, stopClock, turns, type Item } from '../test/many-locks.js';
import { serverError } from '../test/server-error.js';

stopClock();

describe('coalesce with many rows that are locked', () => {
  it('has no tenant wait behind the locks of fifty others that are found in one batch', async () => {
    const gone = new AbortController();
    const { call, endWaits } = overLocks(({ tenant }) => tenant.startsWith('locked'));
    const locked = many.map((value) => call({ tenant: `locked-${value}`, value }, gone.signal));
    expect(await call({ tenant: 'free', value: 1 })).toBe(1);
    // Two that nothing is known of, while all of the fifty wait.
    locked.push(call({ tenant: 'locked-more', value: 2 }, gone.signal));
    expect(await call({ tenant: 'free-too', value: 3 })).toBe(3);
    gone.abort(new Error('gone'));
    endWaits();
    await Promise.allSettled(locked);
    await call.drain();
  });

  it('has one wait for one probe of each tenant that is locked as a whole, however many keys of it wait', async () => {
    const gone = new AbortController();
    const { call, probed, endWaits } = overLocks(({ tenant }) => tenant.startsWith('locked'));
    const keys = many.slice(0, 10).map((value) => ({ tenant: `locked-${value % 2}`, value }));
    const locked = keys.map((item) => call(item, gone.signal));
    expect(await call({ tenant: 'free', value: 1 })).toBe(1);
    await turns();
    // The first key, and next to it all others.
    expect(probed.map((items) => items.length).toSorted()).toEqual([1, 1, 4, 4]);
    gone.abort(new Error('gone'));
    endWaits();
    await Promise.allSettled(locked);
    await call.drain();
  });

  it('has no tenant wait behind fifty locked keys of another, nor a free key of that one', async () => {
    const gone = new AbortController();
    const { call, endWaits } = overLocks(({ key }) => key?.startsWith('locked') ?? false);
    const free = [call({ tenant: 'a', value: 100 }), call({ tenant: 'b', value: 101 })];
    const locked = many.map((value) => call({ tenant: 'a', value, key: `locked-${value}` }, gone.signal));
    expect(await Promise.all(free)).toEqual([100, 101]);
    locked.push(call({ tenant: 'c', value: 1, key: 'locked' }, gone.signal));
    expect(await call({ tenant: 'b', value: 102 })).toBe(102);
    expect(await call({ tenant: 'a', value: 103 })).toBe(103);
    gone.abort(new Error('gone'));
    endWaits();
    await Promise.allSettled(locked);
    await call.drain();
  });

  it('runs what has nothing locked in one round trip, however many keys of it wait', async () => {
    const gone = new AbortController();
    let [underway, most] = [0, 0];
    const call = coalesce<Item, number>({
      name: 'test',
      run: async (items) => {
        const isShared = new Set(items.map(({ tenant }) => tenant)).size > 1;
        const isFree = !items.some(({ tenant }) => tenant === 'locked');
        if (isFree) most = Math.max(most, (underway += items.length));
        await new Promise(setImmediate);
        if (isShared || !isFree) throw serverError('55P03');
        underway -= items.length;
        return items.map(({ value }) => ({ ok: value }));
      },
      tenant: ({ tenant }) => tenant,
      serialKey: ({ tenant, value }) => `${tenant} ${value}`,
      limits: { items: 200, bytes: 100, inFlight: 1, waiting: 4_000 },
    });
    const locked = call({ tenant: 'locked', value: 0 }, gone.signal);
    const free = many.slice(1).map((value) => call({ tenant: 'free', value }));
    expect(await Promise.all(free)).toEqual(many.slice(1));
    expect(most).toBe(free.length);
    gone.abort(new Error('gone'));
    await Promise.allSettled([locked]);
    await call.drain();
  });

  it('tries what is locked by turns of tenants, however many keys one of them has locked', async () => {
    const gone = new AbortController();
    const unlocked = new Set<string>();
    const { call, probed, endWaits } = overLocks(({ tenant, key }) => key !== undefined && !unlocked.has(tenant));
    const free = call({ tenant: 'a', value: 100 });
    const locked = many.map((value) => call({ tenant: 'a', value, key: `${value}` }, gone.signal));
    const other = call({ tenant: 'b', value: 1, key: 'k' }, gone.signal);
    expect(await free).toBe(100);
    const found = (): number => new Set(probed.flatMap((items) => (items.length === 1 ? items : []))).size;
    while (found() < many.length + 1) await new Promise(setImmediate);
    unlocked.add('b');
    let isAnswered = false;
    void other.then(() => (isAnswered = true));
    for (let ended = 0; ended < 4; ended++) {
      endWaits();
      await turns();
    }
    expect(isAnswered).toBe(true);
    gone.abort(new Error('gone'));
    endWaits();
    await Promise.allSettled(locked);
    await call.drain();
  });
});

describe('coalesce with many rows that are found to be locked one after the other', () => {
  it('has none that has passed share a batch with one of which nothing is known, from the second on', async () => {
    const gone = new AbortController();
    const { call, shared, sharedWaits, endWaits } = overLocks(({ tenant }) => tenant.startsWith('locked'));
    const locked = [0, 1].map((value) => call({ tenant: `locked-${value}`, value }, gone.signal));
    expect(await call({ tenant: 'free', value: 1 })).toBe(1);
    for (const value of many.slice(2)) {
      locked.push(call({ tenant: `locked-${value}`, value }, gone.signal));
      expect(await Promise.all([call({ tenant: 'free', value }), call({ tenant: `new-${value}`, value })])).toEqual([
        value,
        value,
      ]);
    }
    const isMixed = (items: readonly Item[]): boolean => items.some(({ tenant }) => tenant.startsWith('locked'));
    expect(shared.filter(isMixed)).toHaveLength(1);
    // Those that have passed share batches again.
    const free = ['free', 'new-2', 'new-3'];
    await Promise.all(free.map((tenant) => call({ tenant, value: 100 })));
    expect(shared.at(-1)?.map(({ tenant }) => tenant)).toEqual(free);
    // They hold their rows for less long than is waited for them by what is tried by itself.
    expect([sharedWaits[0], sharedWaits.at(-1)]).toEqual([500, 50]);
    gone.abort(new Error('gone'));
    endWaits();
    await Promise.allSettled(locked);
    await call.drain();
  });

  it.each(['locked', 'locked lane'])(
    'has them share batches all the same while one row alone is locked (%s)',
    async (lane) => {
      const gone = new AbortController();
      const { call, shared, endWaits } = overLocks(({ tenant }) => tenant.startsWith('locked'));
      const locked = ['locked', lane].map((tenant) => call({ tenant, value: 0 }, gone.signal));
      expect(await call({ tenant: 'free', value: 1 })).toBe(1);
      await turns();
      const others = ['free', 'new', 'newer'];
      await Promise.all(others.map((tenant) => call({ tenant, value: 2 })));
      expect(shared.at(-1)?.map(({ tenant }) => tenant)).toEqual(others);
      gone.abort(new Error('gone'));
      await turns();
      endWaits();
      await Promise.allSettled(locked);
      await call.drain();
    },
  );
});

describe('coalesce with a lock that not everything of a tenant needs', () => {
  it('keeps the tenant out of the batches of the others when what passes of it has taken no lock', async () => {
    const gone = new AbortController();
    const runs: string[][] = [];
    const call = coalesce<Item, number>({
      name: 'test',
      run: async (items) => {
        runs.push(items.map(({ tenant, value }) => `${tenant}${value}`));
        await new Promise(setImmediate);
        if (items.some(({ tenant, key }) => tenant === 'a' && key !== 'refused')) throw serverError('55P03');
        return items.map(({ tenant, value }) => ({ ok: value, provesNothing: tenant === 'a' }));
      },
      tenant: ({ tenant }) => tenant,
      serialKey: ({ tenant, value }) => `${tenant} ${value}`,
      limits: { items: 100, bytes: 100, inFlight: 1, waiting: 400 },
    });
    const first = call({ tenant: 'a', value: 1 }, gone.signal);
    expect(await call({ tenant: 'b', value: 2 })).toBe(2);
    gone.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect(await call({ tenant: 'a', value: 3, key: 'refused' })).toBe(3);
    const again = new AbortController();
    const second = call({ tenant: 'a', value: 4 }, again.signal);
    expect(await call({ tenant: 'b', value: 5 })).toBe(5);
    expect(runs.filter((run) => run.includes('b5'))).toEqual([['b5']]);
    again.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    await call.drain();
  });

  it('keeps it out while a key of it waits for its turn behind the locks of many, however long that takes', async () => {
    const gone = new AbortController();
    const { call, shared, endWaits } = overLocks(({ key }) => key !== undefined);
    const locked = [call({ tenant: 'a', value: 1, key: 'k' }, gone.signal)];
    expect(await Promise.all([call({ tenant: 'a', value: 2 }), call({ tenant: 'b', value: 3 })])).toEqual([2, 3]);
    await turns();
    passMs(5_001);
    expect(await call({ tenant: 'a', value: 4 })).toBe(4);
    await turns();
    locked.push(call({ tenant: 'a', value: 5, key: 'l' }, gone.signal));
    const others = Promise.all([call({ tenant: 'b', value: 6 }), call({ tenant: 'c', value: 7 })]);
    expect(await others).toEqual([6, 7]);
    expect(shared.flatMap((items) => items.map(({ value }) => value))).not.toContain(5);
    gone.abort(new Error('gone'));
    endWaits();
    await Promise.allSettled(locked);
    await call.drain();
  });
});

describe('coalesce with a row that is contested', () => {
  it('runs what meets a second conflict with other tenants apart, so that they do not wait for its end', async () => {
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    let runs = 0;
    const call = coalesce<Item, number>({
      name: 'test',
      run: async (items) => {
        runs++;
        const isContested = items.some(({ tenant }) => tenant === 'a');
        if (isContested && runs > 3) await isOver;
        if (isContested) throw serverError('QT001');
        return items.map(({ value }) => ({ ok: value }));
      },
      runsAgain: (_error, made) => made < 4,
      tenant: ({ tenant }) => tenant,
      limits: { items: 10, bytes: 1, inFlight: 1, waiting: 40 },
    });
    const contested = call({ tenant: 'a', value: 1 });
    expect(await Promise.all([call({ tenant: 'b', value: 2 }), call({ tenant: 'c', value: 3 })])).toEqual([2, 3]);
    expect(await call({ tenant: 'b', value: 4 })).toBe(4);
    end();
    await expect(contested).rejects.toMatchObject({ code: 'QT001' });
    await call.drain();
  });
});
