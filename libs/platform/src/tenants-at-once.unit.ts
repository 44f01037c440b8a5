import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { TenantsAtOnce } from './tenants-at-once.js';

const RPC_MS = 3_000;
const unavailable = new AppError(serviceErrors.SERVICE_UNAVAILABLE);

describe('the work of the tenants of a batch', () => {
  let tenants: TenantsAtOnce<string>;
  /** How long the work of a tenant takes; one that is locked ends with its deadline. */
  let tookMs: Record<string, number> = {};
  let locked: Set<string>;
  let begun: string[] = [];

  beforeEach(() => {
    jest.useFakeTimers();
    tenants = new TenantsAtOnce();
    [tookMs, locked, begun] = [{}, new Set(), []];
  });
  afterEach(() => void jest.useRealTimers());

  const work = (tenant: string) => async (): Promise<string> => {
    begun.push(tenant);
    const isLocked = locked.has(tenant);
    await new Promise((resolve) => setTimeout(resolve, isLocked ? RPC_MS : (tookMs[tenant] ?? 10)));
    if (isLocked) throw unavailable;
    return `of ${tenant}`;
  };

  /** What came of a batch, and how long it took. */
  async function batch(...ids: string[]) {
    const sinceMs = performance.now();
    const given = tenants.each(new Map(ids.map((id) => [id, work(id)])));
    const ended = given
      .then(({ done, waiting }) => ({ done: [...done.keys()], waiting: [...waiting] }))
      .catch((error: unknown) => ({ error }))
      .then((came) => ({ ...came, tookMs: Math.round(performance.now() - sinceMs) }));
    await jest.advanceTimersByTimeAsync(10_000 - (performance.now() % 1));
    return ended;
  }

  /** As `batch`, and no longer than it takes: what is left goes on behind it. */
  async function shortBatch(...ids: string[]) {
    let came: Awaited<ReturnType<typeof batch>> | null = null;
    const sinceMs = performance.now();
    void tenants.each(new Map(ids.map((id) => [id, work(id)]))).then(
      ({ done, waiting }) =>
        (came = { done: [...done.keys()], waiting: [...waiting], tookMs: performance.now() - sinceMs }),
      (error: unknown) => (came = { error, tookMs: performance.now() - sinceMs }),
    );
    while (!came) await jest.advanceTimersByTimeAsync(5);
    return came as Awaited<ReturnType<typeof batch>>;
  }

  it('waits for one that is locked for 300 ms behind the last answer of the others, and leaves it alone', async () => {
    locked.add('a');
    tookMs = { c: 250 };
    const first = await shortBatch('a', 'b', 'c');
    expect(first).toMatchObject({ done: ['b', 'c'], waiting: ['a'] });
    expect(first.tookMs).toBeLessThanOrEqual(600);
    // Its work goes on, and then its pause: neither costs anybody.
    const next = await shortBatch('a', 'b');
    expect(next).toMatchObject({ done: ['b'], waiting: ['a'] });
    expect(next.tookMs).toBeLessThanOrEqual(20);
    expect(begun).toEqual(['a', 'b', 'c', 'b']);
    await jest.advanceTimersByTimeAsync(10_000);
    const again = await shortBatch('a', 'b');
    expect(again).toMatchObject({ done: ['b'], waiting: ['a'] });
    expect(again.tookMs).toBeLessThanOrEqual(120);
  });

  it('waits for one alone as long as its work takes, and knows it for locked once others pass', async () => {
    locked.add('a');
    expect(await shortBatch('a')).toMatchObject({ error: unavailable });
    const both = await shortBatch('a', 'b');
    expect(both).toMatchObject({ done: ['b'], waiting: ['a'] });
    expect(both.tookMs).toBeLessThanOrEqual(400);
    await jest.advanceTimersByTimeAsync(10_000);
    const alone = await shortBatch('a');
    expect(alone).toMatchObject({ done: [], waiting: ['a'] });
    expect(alone.tookMs).toBeLessThanOrEqual(120);
  });

  it('serves one as soon as its rows are free, whatever pause it had', async () => {
    locked.add('a');
    await shortBatch('a', 'b');
    await jest.advanceTimersByTimeAsync(5_000);
    locked.clear();
    tookMs = { a: 700 };
    expect(await shortBatch('a', 'b')).toMatchObject({ waiting: ['a'] });
    await jest.advanceTimersByTimeAsync(700);
    expect(await shortBatch('a', 'b')).toMatchObject({ done: ['b', 'a'].toSorted(), waiting: [] });
  });

  it('serves one whose answers always take longer than it is waited for', async () => {
    tookMs = { a: 800 };
    expect(await batch('a', 'b')).toMatchObject({ waiting: ['a'] });
    for (let n = 0; n < 3; n++) expect(await batch('a', 'b')).toMatchObject({ done: ['a', 'b'], waiting: [] });
  });

  it('keeps so many of those at most: the one that was too slow longest ago is a stranger again', async () => {
    tenants = new TenantsAtOnce(1);
    tookMs = { a: 800, c: 800 };
    expect(await batch('a', 'b')).toMatchObject({ waiting: ['a'] });
    expect(await batch('c', 'b')).toMatchObject({ waiting: ['c'] });
    expect(await batch('c', 'b')).toMatchObject({ done: ['c', 'b'] });
    expect(await batch('a', 'b')).toMatchObject({ waiting: ['a'] });
  });

  it('leaves and notes no tenant while none is served: it gives all back', async () => {
    locked = new Set(['a', 'b']);
    expect(await shortBatch('a', 'b')).toMatchObject({ error: unavailable });
    expect(await shortBatch('a', 'b')).toMatchObject({ error: unavailable });
    locked.clear();
    expect(await shortBatch('a', 'b')).toMatchObject({ done: ['a', 'b'], waiting: [] });
  });

  it('hides no defect behind a wait', async () => {
    const defect = new TypeError('a defect');
    const late = async (): Promise<string> => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      throw defect;
    };
    const given = tenants.each(
      new Map([
        ['a', late],
        ['b', work('b')],
      ]),
    );
    await jest.advanceTimersByTimeAsync(2_000);
    expect([...(await given).waiting]).toEqual(['a']);
    await expect(tenants.each(new Map([['a', work('a')]]))).rejects.toBe(defect);
  });
});
