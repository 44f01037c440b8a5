import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@switchboard/postgres';
import type { Log } from '@switchboard/platform';
import { eventually, FakeClock, testServers } from '@switchboard/testing';
import { MessagingStore } from '../../test/messaging-store.js';
import { LEASE_MS } from './dispatch.entity.js';
import { ReleasedLeases } from './released-leases.js';

const servers = testServers();

describe('an attempt that was marked by a COMMIT whose answer was lost', () => {
  let store: MessagingStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });

  it('is given back when the database answers again, is looked for as long as its lease, and then no more', async () => {
    const sender = await store.sender();
    const [attempt, other] = [await store.attempt(sender), await store.attempt(sender)];
    const clock = new FakeClock();
    const { database, looks } = refusing(2);
    const errors: string[] = [];
    const released = new ReleasedLeases(database, clock, logOf(errors));
    released.giveBack(attempt.lease);
    await eventually(async () => (await store.dispatches(attempt))[0]?.state === 'RETRY');
    expect(errors).toEqual(['dispatch.give-back-delayed', 'dispatch.give-back-delayed']);
    expect(await store.dispatches(attempt)).toMatchObject([{ attempts: 0 }]);
    expect(await store.dispatches(other)).toMatchObject([{ state: 'DISPATCHING' }]);
    const before = looks();
    clock.advance(LEASE_MS + 1);
    await eventually(() => looks() > before);
    const after = looks();
    await released.onModuleDestroy();
    expect(looks()).toBe(after);
  });

  it('is given back by a process that stops', async () => {
    const attempt = await store.attempt(await store.sender());
    const released = new ReleasedLeases(store.database, new FakeClock(), logOf([]));
    released.giveBack(attempt.lease);
    await released.onModuleDestroy();
    expect(await store.dispatches(attempt)).toMatchObject([{ state: 'RETRY', attempts: 0 }]);
  });

  it('is looked for beyond the end of its lease while somebody holds its message, and given back then', async () => {
    const attempt = await store.attempt(await store.sender());
    const [clock, { database, looks }] = [new FakeClock(), refusing(0)];
    const released = new ReleasedLeases(database, clock, logOf([]));
    const holder = await store.superuser.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM messaging.message WHERE id = $1 FOR UPDATE', [attempt.messageId]);
      released.giveBack(attempt.lease);
      clock.advance(LEASE_MS + 1);
      // The second one begins when the first has ended.
      await eventually(() => looks() === 2);
      expect(await store.dispatches(attempt)).toMatchObject([{ state: 'DISPATCHING' }]);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    await released.onModuleDestroy();
    expect(await store.dispatches(attempt)).toMatchObject([{ state: 'RETRY', attempts: 0 }]);
  });

  /** The store's database, away for so many looks. */
  function refusing(times: number): { database: Database; looks: () => number } {
    let looks = 0;
    const transaction: Database['transaction'] = async (work) => {
      if (++looks <= times) throw new Error('away');
      return store.database.transaction(work);
    };
    return { database: { transaction } as Database, looks: () => looks };
  }
});

function logOf(errors: string[]): Log {
  return { info: () => undefined, warn: () => undefined, error: (event) => void errors.push(event) };
}
