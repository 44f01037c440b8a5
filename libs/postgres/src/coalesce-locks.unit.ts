import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { coalesce, type Coalesced } from './coalesce.js';
import { serverError } from '../test/server-error.js';

interface Item {
  readonly tenant: string;
  readonly value: number;
  readonly key?: string;
}

const a = (value: number, more: Partial<Item> = {}): Item => ({ tenant: 'a', value, ...more });
const b = (value: number): Item => ({ tenant: 'b', value });

describe.each(['55P03', '57014'])('coalesce with a row that is locked (%s)', (code) => {
  /** A function over rows of which some are locked: whoever meets one of them times out. */
  const overLocks = (isLocked: (item: Item) => boolean): { call: Coalesced<Item, number>; runs: number[][] } => {
    const runs: number[][] = [];
    const call = coalesce<Item, number>({
      name: 'test',
      run: async (items) => {
        runs.push(items.map(({ value }) => value));
        await new Promise(setImmediate);
        if (items.some(isLocked)) throw serverError(code);
        return items.map(({ value }) => ({ ok: value }));
      },
      tenant: ({ tenant }) => tenant,
      serialKey: ({ tenant, value, key }) => `${tenant} ${key ?? value}`,
      limits: { items: 100, bytes: 100, inFlight: 1, waiting: 400 },
    });
    return { call, runs };
  };

  it('gives the others their answers after one timeout, and keeps the locked one out of their batches', async () => {
    const caller = new AbortController();
    let isLocked = true;
    const { call, runs } = overLocks(({ tenant }) => isLocked && tenant === 'a');
    const locked = [call(a(1), caller.signal), call(a(2), caller.signal)];
    expect(await Promise.all([call(b(3)), call({ tenant: 'c', value: 4 })])).toEqual([3, 4]);
    expect(runs.filter((run) => run.includes(3))).toEqual([[1, 3, 4, 2], [3]]);
    for (let value = 10; value < 30; value++) {
      locked.push(call(a(100 + value), caller.signal));
      expect(await call(b(value))).toBe(value);
      expect(runs.filter((run) => run.includes(value))).toEqual([[value]]);
    }
    isLocked = false;
    expect(await Promise.all(locked)).toEqual([1, 2, ...Array.from({ length: 20 }, (_, n) => 110 + n)]);
    const together = [call(a(5)), call(b(6))];
    expect(await Promise.all(together)).toEqual([5, 6]);
    expect(runs.at(-1)?.toSorted()).toEqual([5, 6]);
  });

  it('frees the slot of the others after one timeout, however long the locked one takes', async () => {
    const { promise: unlocked, resolve: unlock } = Promise.withResolvers<void>();
    const call = coalesce<Item, number>({
      name: 'test',
      run: async (items) => {
        if (new Set(items.map(({ tenant }) => tenant)).size > 1) throw serverError(code);
        if (items.some(({ tenant }) => tenant === 'a')) await unlocked;
        return items.map(({ value }) => ({ ok: value }));
      },
      tenant: ({ tenant }) => tenant,
      limits: { items: 100, bytes: 100, inFlight: 1, waiting: 400 },
    });
    const locked = call(a(1));
    expect(await Promise.all([call(b(2)), call({ tenant: 'c', value: 3 })])).toEqual([2, 3]);
    expect(await call(b(4))).toBe(4);
    unlock();
    expect(await locked).toBe(1);
    await call.drain();
  });

  it('runs the locked one again until its caller stops waiting', async () => {
    const caller = new AbortController();
    const { call, runs } = overLocks(() => true);
    const locked = call(a(1), caller.signal);
    while (runs.length < 5) await new Promise(setImmediate);
    caller.abort(new Error('gone'));
    await expect(locked).rejects.toThrow('gone');
    await call.drain();
  });

  it('gives the locked one up after 5 s when no signal bounds its wait', async () => {
    const clock = jest.spyOn(performance, 'now');
    try {
      const { call, runs } = overLocks(() => true);
      const locked = call(a(1)).catch((error: unknown) => error);
      while (runs.length < 3) await new Promise(setImmediate);
      clock.mockReturnValue(performance.now() + 5_000);
      expect(await locked).toMatchObject({ code });
      await call.drain();
    } finally {
      clock.mockRestore();
    }
  });

  it('keeps it out of the batches of the others when its items end as too old, which proves nothing', async () => {
    const old = new Set<number>();
    const runs: number[][] = [];
    const call = coalesce<Item, number>({
      name: 'test',
      run: async (items) => {
        runs.push(items.map(({ value }) => value));
        await new Promise(setImmediate);
        if (items.some(({ tenant, value }) => tenant === 'a' && !old.has(value))) throw serverError(code);
        return items.map(({ tenant, value }) => (tenant === 'a' ? { error: new Error('too old') } : { ok: value }));
      },
      tenant: ({ tenant }) => tenant,
      limits: { items: 100, bytes: 100, inFlight: 1, waiting: 400 },
    });
    const first = call(a(1)).catch((error: Error) => error.message);
    while (runs.length < 3) await new Promise(setImmediate);
    old.add(1);
    expect(await first).toBe('too old');
    const second = call(a(2)).catch((error: Error) => error.message);
    expect(await call(b(3))).toBe(3);
    expect(runs.filter((run) => run.includes(3))).toEqual([[3]]);
    old.add(2);
    expect(await second).toBe('too old');
  });

  it('sets apart the serial key alone, when the other keys of its tenant pass', async () => {
    const caller = new AbortController();
    let isLocked = true;
    const { call, runs } = overLocks(({ key }) => isLocked && key === 'k');
    const locked = [call(a(1, { key: 'k' }), caller.signal), call(a(2, { key: 'k' }), caller.signal)];
    expect(await Promise.all([call(a(3)), call(a(4)), call(b(5))])).toEqual([3, 4, 5]);
    locked.push(call(a(6, { key: 'k' }), caller.signal));
    expect(await call(a(7))).toBe(7);
    expect(runs.filter((run) => run.includes(7))).toEqual([[7]]);
    isLocked = false;
    expect(await Promise.all(locked)).toEqual([1, 2, 6]);
    const order = runs.filter((run) => run.some((value) => [1, 2, 6].includes(value))).at(-1) ?? [];
    expect(order).toEqual(order.toSorted((x, y) => x - y));
  });

  it('keeps a key whose caller has gone out of the batches of the others, when others of its tenant pass meanwhile', async () => {
    const [gone, again] = [new AbortController(), new AbortController()];
    const { call, runs } = overLocks(({ key }) => key === 'k');
    const locked = [call(a(1, { key: 'k' }), gone.signal)];
    expect(await call(b(2))).toBe(2);
    while (runs.length < 5) await new Promise(setImmediate);
    gone.abort(new Error('gone'));
    await Promise.allSettled(locked);
    expect(await call(a(3))).toBe(3);
    locked.push(call(a(4, { key: 'k' }), again.signal));
    expect(await Promise.all([call(a(5)), call(b(6))])).toEqual([5, 6]);
    expect(runs.filter((run) => run.includes(6))).toEqual([[6]]);
    again.abort(new Error('gone'));
    await Promise.allSettled(locked);
    await call.drain();
  });

  it('keeps a tenant out of the batches of the others until none of its keys has timed out for 5 s', async () => {
    const clock = jest.spyOn(performance, 'now');
    try {
      const caller = new AbortController();
      const { call, runs } = overLocks(({ key }) => key !== undefined);
      const locked = [call(a(1, { key: 'k' }), caller.signal)];
      expect(await Promise.all([call(a(2)), call(b(3))])).toEqual([2, 3]);
      locked.push(call(a(4, { key: 'l' }), caller.signal));
      expect(await Promise.all([call(a(5)), call(b(6))])).toEqual([5, 6]);
      expect(runs.filter((run) => run.includes(6))).toEqual([[6]]);
      caller.abort(new Error('gone'));
      await Promise.allSettled(locked);
      clock.mockReturnValue(performance.now() + 5_001);
      expect(await call(a(7))).toBe(7);
      expect(await Promise.all([call(a(8)), call(b(9))])).toEqual([8, 9]);
      expect(runs.at(-1)?.toSorted()).toEqual([8, 9]);
      await call.drain();
    } finally {
      clock.mockRestore();
    }
  });

  it('gives every call its own outcome in the order of its key, whatever is locked and for how long', async () => {
    const item = fc.record({ tenant: fc.constantFrom('a', 'b', 'c'), key: fc.constantFrom('k', 'l', 'm') });
    const lock = fc.record({
      tenant: fc.constantFrom('a', 'b', 'c'),
      key: fc.constantFrom('k', 'l', undefined),
      runs: fc.integer({ min: 1, max: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 30 }), fc.array(lock, { maxLength: 3 }), async (items, locks) => {
        let made = 0;
        const orders = new Map<string, number[]>();
        const busy = new Set<string>();
        const call = coalesce<Item, number>({
          name: 'test',
          run: async (batch) => {
            made++;
            const keys = new Set(batch.map(({ tenant, key }) => `${tenant} ${key}`));
            expect([...keys].filter((key) => busy.has(key))).toEqual([]);
            keys.forEach((key) => busy.add(key));
            await new Promise(setImmediate);
            keys.forEach((key) => busy.delete(key));
            const meets = ({ tenant, key }: Item): boolean =>
              locks.some((own) => own.runs >= made && own.tenant === tenant && (own.key ?? key) === key);
            if (batch.some(meets)) throw serverError(code);
            for (const { tenant, key, value } of batch) {
              const line = `${tenant} ${key}`;
              orders.set(line, [...(orders.get(line) ?? []), value]);
            }
            return batch.map(({ value }) => ({ ok: value, provesNothing: value % 3 === 0 }));
          },
          tenant: ({ tenant }) => tenant,
          serialKey: ({ tenant, key }) => `${tenant} ${key}`,
          limits: { items: 5, bytes: 1, inFlight: 2, waiting: 1_000 },
        });
        expect(await Promise.all(items.map((own, value) => call({ ...own, value })))).toEqual([...items.keys()]);
        for (const order of orders.values()) expect(order).toEqual(order.toSorted((x, y) => x - y));
        await call.drain();
      }),
      { numRuns: 100 },
    );
  });
});
