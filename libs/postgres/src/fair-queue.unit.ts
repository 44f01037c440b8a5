import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { QueueEntry } from './apart-lines.js';
import { FairQueue } from './fair-queue.js';

const entryOf = (tenant: string): QueueEntry => ({ tenant, serialKey: undefined, bytes: 0 });
const stalled = (tenant: string) => ({ name: tenant, tenant, kind: 'stalled' }) as const;
const isDropped = (): boolean => true;

function queueOf(tenants: readonly string[]): FairQueue<QueueEntry> {
  const queue = new FairQueue<QueueEntry>({ items: 100, bytes: 100, waiting: 100_000 });
  for (const tenant of tenants) expect(queue.offer(entryOf(tenant))).toBe(true);
  return queue;
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('FairQueue with thousands of lines that are set apart', () => {
  const tenants = Array.from({ length: 4_000 }, (_, index) => `t${index}`);

  it('looks through all of them a few times, not for each', () => {
    const queue = queueOf(tenants);
    const walks = jest.spyOn(Map.prototype, Symbol.iterator);
    for (const tenant of tenants) queue.setApart(stalled(tenant), [], isDropped);
    expect(queue.apartCount).toBe(tenants.length);
    expect(walks.mock.calls.length).toBeLessThan(10);
  });

  it('forgets those of which nothing waits', () => {
    const queue = queueOf(tenants);
    for (const tenant of tenants) queue.setApart(stalled(tenant), [], isDropped);
    queue.dropApart(isDropped);
    expect(queue.length).toBe(0);
    for (let round = 0; round < 2; round++)
      for (const tenant of tenants) queue.setApart({ ...stalled(tenant), name: `${round}${tenant}` }, [], isDropped);
    expect(queue.apartCount).toBeLessThan(tenants.length);
  });
});
