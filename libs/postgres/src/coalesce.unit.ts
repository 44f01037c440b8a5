import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { coalesce, type Coalesced, type CoalesceSpec, type Outcome } from './coalesce.js';
import { serverError } from '../test/server-error.js';

interface Item {
  readonly tenant: string;
  readonly value: number;
  readonly key?: string;
  readonly bytes?: number;
}

/** A coalesced function whose batches a test ends one by one. */
class Harness {
  readonly batches: {
    items: readonly Item[];
    end: (outcomes?: readonly Outcome<number>[]) => void;
    fail: (e: unknown) => void;
  }[] = [];
  readonly call: Coalesced<Item, number>;
  private onBatch: (() => void) | undefined;

  constructor(limits: Partial<CoalesceSpec<Item, number>['limits']> = {}) {
    this.call = coalesce<Item, number>({
      name: 'test',
      run: (items) =>
        new Promise((resolve, reject) => {
          const end = (outcomes?: readonly Outcome<number>[]): void =>
            resolve(outcomes ?? items.map(({ value }) => ({ ok: value })));
          this.batches.push({ items, end, fail: reject });
          this.onBatch?.();
        }),
      tenant: ({ tenant }) => tenant,
      serialKey: ({ key, tenant, value }) => key ?? `${tenant} ${value}`,
      bytes: ({ bytes }) => bytes ?? 0,
      limits: { items: 3, bytes: 100, inFlight: 1, waiting: 100, ...limits },
    });
  }

  /** The n-th batch (from 1), once it has begun. */
  async batch(n: number): Promise<Harness['batches'][number]> {
    for (;;) {
      const batch = this.batches[n - 1];
      if (batch) return batch;
      await new Promise<void>((resolve) => (this.onBatch = resolve));
    }
  }
}

const a = (value: number, more: Partial<Item> = {}): Item => ({ tenant: 'a', value, ...more });
const b = (value: number, more: Partial<Item> = {}): Item => ({ tenant: 'b', value, ...more });
const values = (batch: { items: readonly Item[] }): number[] => batch.items.map(({ value }) => value);

describe('coalesce', () => {
  it('runs what comes in one turn as one batch, at once, and gives each caller its own outcome', async () => {
    const { call, batch } = bound(new Harness());
    const answers = Promise.allSettled([call(a(1)), call(a(2)), call(b(3))]);
    const refusal = new Error('refused');
    (await batch(1)).end([{ ok: 10 }, { ok: 30 }, { error: refusal }]);
    // Tenants take turns: a1, b3, a2.
    expect(await answers).toEqual([
      { status: 'fulfilled', value: 10 },
      { status: 'rejected', reason: refusal },
      { status: 'fulfilled', value: 30 },
    ]);
  });

  it('delays the item of another tenant by one batch at most, however long one tenant floods', async () => {
    const { call, batch } = bound(new Harness({ waiting: 1_000 }));
    const flood = Array.from({ length: 50 }, (_, n) => call(a(n)));
    await batch(1);
    const other = call(b(99));
    (await batch(1)).end();
    expect(values(await batch(2))).toContain(99);
    (await batch(2)).end();
    expect(await other).toBe(99);
    for (let n = 3; n <= 17; n++) (await batch(n)).end();
    expect(await Promise.all(flood)).toHaveLength(50);
  });

  it('lets one tenant hold a quarter of the queue and no more, and refuses what is beyond a full one', async () => {
    const { call, batch } = bound(new Harness({ waiting: 8, items: 100 }));
    const taken = [call(a(1)), call(a(2))];
    await expect(call(a(3))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
    for (const tenant of ['b', 'c', 'd']) taken.push(call({ tenant, value: 1 }), call({ tenant, value: 2 }));
    await expect(call({ tenant: 'e', value: 1 })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    (await batch(1)).end();
    expect(await Promise.all(taken)).toHaveLength(8);
    const after = call(a(4));
    (await batch(2)).end();
    expect(await after).toBe(4);
  });

  it('drops what was aborted before its batch began, and lets go on what was aborted after', async () => {
    const { call, batch } = bound(new Harness());
    const [early, late] = [new AbortController(), new AbortController()];
    const begun = call(a(1), late.signal);
    await batch(1);
    const waiting = call(a(2), early.signal);
    const last = call(a(3));
    early.abort(new Error('early'));
    late.abort(new Error('late'));
    (await batch(1)).end();
    expect(await begun).toBe(1);
    await expect(waiting).rejects.toThrow('early');
    expect(values(await batch(2))).toEqual([3]);
    (await batch(2)).end();
    expect(await last).toBe(3);
    await expect(call(a(4), AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
  });

  it('drains: refuses what is new and resolves when all that was taken has its outcome', async () => {
    const harness = new Harness({ items: 1 });
    const { call, batch } = bound(harness);
    const taken = [call(a(1)), call(a(2))];
    let drained = false;
    const drain = harness.call.drain().then(() => (drained = true));
    await expect(call(a(3))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    (await batch(1)).end();
    await batch(2);
    expect(drained).toBe(false);
    (await batch(2)).end();
    await drain;
    expect(await Promise.all(taken)).toEqual([1, 2]);
    await new Harness().call.drain();
  });

  it('keeps a batch within its bytes, and runs a larger item alone', async () => {
    const { call, batch } = bound(new Harness());
    const all = [a(1, { bytes: 60 }), a(2, { bytes: 60 }), a(3, { bytes: 500 }), a(4, { bytes: 1 })].map((i) =>
      call(i),
    );
    for (const [n, expected] of [[1], [2], [3], [4]].entries()) {
      expect(values(await batch(n + 1))).toEqual(expected);
      (await batch(n + 1)).end();
    }
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
  });

  it('never has equal serial keys in two batches at once, and keeps their order', async () => {
    const { call, batch } = bound(new Harness({ inFlight: 2, items: 2 }));
    const all = [
      a(1, { key: 'k' }),
      a(2, { key: 'm' }),
      a(3, { key: 'k' }),
      a(4, { key: 'x' }),
      a(5, { key: 'k' }),
    ].map((i) => call(i));
    expect(values(await batch(1))).toEqual([1, 2]);
    expect(values(await batch(2))).toEqual([4]);
    (await batch(2)).end();
    (await batch(1)).end();
    expect(values(await batch(3))).toEqual([3, 5]);
    (await batch(3)).end();
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4, 5]);
  });

  it('halves a batch with a data error down to the guilty item, in order, and rejects that one alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), async (guilty) => {
        const applied: number[] = [];
        const call = coalesce<number, number>({
          name: 'test',
          run: async (items) => {
            if (items.some((item) => guilty[item])) throw serverError('23514');
            applied.push(...items);
            return items.map((ok) => ({ ok }));
          },
          tenant: () => 'a',
          limits: { items: 100, bytes: 1, inFlight: 1, waiting: 400 },
        });
        const outcomes = await Promise.allSettled(guilty.map((_guilty, item) => call(item)));
        expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(guilty);
        expect(applied).toEqual([...guilty.keys()].filter((item) => !guilty[item]));
      }),
    );
  });

  it.each(['40001', '40P01'])('runs a batch again after %s, three times at most', async (code) => {
    const { call, batch } = bound(new Harness());
    const healed = call(a(1));
    (await batch(1)).fail(serverError(code));
    (await batch(2)).end();
    expect(await healed).toBe(1);
    const hopeless = call(a(2));
    for (const n of [3, 4, 5]) (await batch(n)).fail(serverError(code));
    await expect(hopeless).rejects.toMatchObject({ code });
  });

  it('runs a batch again without what was aborted meanwhile: after a conflict, and in halves', async () => {
    const { call, batch } = bound(new Harness());
    const gone = [new AbortController(), new AbortController()] as const;
    const outcomes = Promise.allSettled([call(a(1), gone[0].signal), call(a(2)), call(a(3), gone[1].signal)]);
    const first = await batch(1);
    gone[0].abort(new Error('gone'));
    first.fail(serverError('40001'));
    expect(values(await batch(2))).toEqual([2, 3]);
    (await batch(2)).fail(serverError('22021'));
    expect(values(await batch(3))).toEqual([2]);
    gone[1].abort(new Error('gone too'));
    (await batch(3)).end();
    expect(await outcomes).toMatchObject([
      { status: 'rejected', reason: { message: 'gone' } },
      { status: 'fulfilled', value: 2 },
      { status: 'rejected', reason: { message: 'gone too' } },
    ]);
    const next = call(a(4));
    expect(values(await batch(4))).toEqual([4]);
    (await batch(4)).end();
    expect(await next).toBe(4);
  });

  it('does not run a conflict again when every caller has stopped waiting', async () => {
    const harness = new Harness();
    const caller = new AbortController();
    const call = harness.call(a(1), caller.signal);
    const first = await harness.batch(1);
    caller.abort(new Error('gone'));
    first.fail(serverError('40P01'));
    await expect(call).rejects.toThrow('gone');
    await harness.call.drain();
    expect(harness.batches).toHaveLength(1);
  });

  it('runs a batch again as often as its own rule says', async () => {
    let runs = 0;
    const call = coalesce<number, number>({
      name: 'test',
      run: async () => {
        runs++;
        throw serverError('QT001');
      },
      runsAgain: (_error, made) => made < 7,
      tenant: () => 'a',
      limits: { items: 1, bytes: 1, inFlight: 1, waiting: 4 },
    });
    await expect(call(1)).rejects.toMatchObject({ code: 'QT001' });
    expect(runs).toBe(7);
  });

  it('rejects every item with any other error, without running it again', async () => {
    const harness = new Harness();
    const outcomes = Promise.allSettled([harness.call(a(1)), harness.call(a(2))]);
    (await harness.batch(1)).fail(new Error('the connection broke'));
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(harness.batches).toHaveLength(1);
  });

  it('gives every call exactly one outcome, its own, whatever the tenants, keys, sizes and limits', async () => {
    const item = fc.record({
      tenant: fc.constantFrom('a', 'b', 'c'),
      key: fc.constantFrom('k', 'l', 'm', 'n'),
      bytes: fc.integer({ min: 0, max: 80 }),
    });
    const limits = fc.record({ items: fc.integer({ min: 1, max: 4 }), inFlight: fc.integer({ min: 1, max: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 40 }), limits, async (items, { items: most, inFlight }) => {
        const busy = new Set<string>();
        const orders = new Map<string, number[]>();
        const call = coalesce<Item, number>({
          name: 'test',
          run: async (batch) => {
            const keys = new Set(batch.map(({ tenant, key }) => `${tenant} ${key}`));
            expect([...keys].filter((key) => busy.has(key))).toEqual([]);
            expect(batch.length).toBeLessThanOrEqual(most);
            const bytes = batch.reduce((sum, { bytes: own }) => sum + (own ?? 0), 0);
            expect(batch.length === 1 || bytes <= 100).toBe(true);
            keys.forEach((key) => busy.add(key));
            for (const { tenant, key, value } of batch) {
              const line = `${tenant} ${key}`;
              orders.set(line, [...(orders.get(line) ?? []), value]);
            }
            await new Promise(setImmediate);
            keys.forEach((key) => busy.delete(key));
            return batch.map(({ value }) => ({ ok: value }));
          },
          tenant: ({ tenant }) => tenant,
          serialKey: ({ tenant, key }) => `${tenant} ${key}`,
          bytes: ({ bytes }) => bytes ?? 0,
          limits: { items: most, bytes: 100, inFlight, waiting: 1_000 },
        });
        const answers = await Promise.all(items.map((own, value) => call({ ...own, value })));
        expect(answers).toEqual([...items.keys()]);
        for (const order of orders.values()) expect(order).toEqual(order.toSorted((x, y) => x - y));
      }),
      { numRuns: 60 },
    );
  });
});

function bound(harness: Harness): { call: Harness['call']; batch: Harness['batch'] } {
  return { call: harness.call, batch: (n) => harness.batch(n) };
}
