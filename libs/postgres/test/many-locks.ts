import { afterEach, beforeEach, jest } from '@jest/globals';
import { coalesce, type Coalesced } from '../src/coalesce.js';
import type { LockWaitMs } from '../src/transaction-query.js';
import { serverError } from './server-error.js';

/** An item of a tenant, which locks a row of its own unless it has a key. */
export interface Item {
  readonly tenant: string;
  readonly value: number;
  readonly key?: string;
}

/** So many rows are locked. */
export const many = Array.from({ length: 50 }, (_, index) => index);

/**
 * Has the clock stand still in the tests of a file, unless one of them moves it (`passMs`). For how long a lock is waited for follows from
 * how long runs take, which is the machine's affair: on a busy one no wait is as short as that of a probe, and none of them would end.
 */
export function stopClock(): void {
  beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(1_000));
  afterEach(() => void jest.restoreAllMocks());
}

/** Moves the clock that `stopClock` has stopped. */
export function passMs(durationMs: number): void {
  jest.spyOn(performance, 'now').mockReturnValue(performance.now() + durationMs);
}

/** What has its answer is noted, and what waits for a slot begins. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
}

/** A function over rows of which some are locked. A wait for one of them ends with `endWaits`; that of a probe at once. */
export function overLocks(isLocked: (item: Item) => boolean): {
  readonly call: Coalesced<Item, number>;
  readonly probed: Item[][];
  /** Batches of several tenants. */
  readonly shared: Item[][];
  /** How each of them waited for locks. */
  readonly sharedWaits: LockWaitMs[];
  endWaits(): void;
} {
  const waits: (() => void)[] = [];
  const probed: Item[][] = [];
  const shared: Item[][] = [];
  const sharedWaits: LockWaitMs[] = [];
  const call = coalesce<Item, number>({
    name: 'test',
    run: async (items, { lockWaitMs }) => {
      const isShared = new Set(items.map(({ tenant }) => tenant)).size > 1;
      if (isShared) {
        shared.push([...items]);
        sharedWaits.push(lockWaitMs);
      }
      await new Promise(setImmediate);
      if (!items.some(isLocked)) return items.map(({ value }) => ({ ok: value }));
      if (lockWaitMs === 100) probed.push([...items]);
      else if (!isShared) await new Promise<void>((resolve) => waits.push(resolve));
      throw serverError('55P03');
    },
    tenant: ({ tenant }) => tenant,
    organization: ({ tenant }) => tenant.split(' ')[0] ?? tenant,
    serialKey: ({ tenant, value, key }) => `${tenant} ${key ?? value}`,
    limits: { items: 200, bytes: 100, inFlight: 1, waiting: 4_000 },
  });
  return { call, probed, shared, sharedWaits, endWaits: () => waits.splice(0).forEach((end) => end()) };
}
