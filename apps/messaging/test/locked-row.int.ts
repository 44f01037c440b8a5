import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLog, systemClock } from '@switchboard/platform';
import { testServers } from '@switchboard/testing';
import type { Attempt } from '../src/dispatch/dispatch.entity.js';
import { abandonOverdue } from '../src/dispatch/dispatch.repository.js';
import { ReleasedLeases } from '../src/dispatch/released-leases.js';
import { unclaim } from '../src/dispatch/retry-claim.repository.js';
import { SETTLE_DEADLINE_MS } from '../src/dispatch/retry.policy.js';
import { AcceptMessage, type AcceptResult } from '../src/send-message/accept-message.batch.js';
import { failExpired } from '../src/settle-overdue/settle-overdue.js';
import { MessagingStore, settlementOf, type Sender } from './messaging-store.js';
import { silentRelay } from './silent-relay.js';

const servers = testServers();
const CONTACTS = 4;

describe('a row of one organization that another session has locked', () => {
  let store: MessagingStore;
  let accept: AcceptMessage;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    const log = createLog('messaging', { write: () => undefined });
    const released = new ReleasedLeases(store.database, systemClock, log);
    accept = new AcceptMessage(store.database, silentRelay, released, log);
  });

  const send = (sender: Sender, contact: number, signal: AbortSignal): Promise<AcceptResult> =>
    accept.execute(store.request(sender, contact), signal);
  const sendToAll = async (sender: Sender, signal: AbortSignal): Promise<string[]> =>
    (await Promise.all(sender.contacts.map((_contact, index) => send(sender, index, signal)))).map(
      ({ verdict }) => verdict,
    );

  it.each(['quota', 'conversation', 'contact', 'contact_phone'])(
    'holds up none of the others, and its own only for as long as it is locked: %s',
    async (table) => {
      const [locked, other] = [await store.sender(CONTACTS), await store.sender(CONTACTS)];
      const { signal } = new AbortController();
      await Promise.all([sendToAll(locked, signal), sendToAll(other, signal)]);
      const holder = await store.superuser.connect();
      try {
        await holder.query('BEGIN');
        await holder.query(`SELECT FROM messaging.${table} WHERE organization_id = $1 FOR UPDATE`, [
          locked.organizationId,
        ]);
        const waiting = sendToAll(locked, signal);
        let passed = 0;
        void waiting.then(() => passed++);
        for (let round = 0; round < 5; round++) {
          expect(await sendToAll(other, signal)).toEqual(Array(CONTACTS).fill('accepted'));
        }
        expect(passed).toBe(0);
        await holder.query('ROLLBACK');
        expect(await waiting).toEqual(Array(CONTACTS).fill('accepted'));
      } finally {
        holder.release(true);
      }
      expect(await store.quotaFaults()).toEqual([]);
    },
  );

  it('ends the wait of a sender whose time is over, with nothing stored', async () => {
    const sender = await store.sender();
    const caller = new AbortController();
    await sendToAll(sender, caller.signal);
    const holder = await store.superuser.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM messaging.quota WHERE organization_id = $1 FOR UPDATE', [sender.organizationId]);
      const waiting = send(sender, 0, caller.signal);
      caller.abort(new Error('the time is over'));
      await expect(waiting).rejects.toThrow('the time is over');
    } finally {
      holder.release(true);
    }
    expect(await store.quotaFaults()).toEqual([]);
    expect(await sendToAll(sender, new AbortController().signal)).toEqual(['accepted']);
  });

  describe('leaves work of all organizations to the others', () => {
    let locked: Attempt;
    let other: Attempt;

    beforeEach(async () => {
      await store.forgetDispatches();
      locked = await store.attempt(await store.sender());
      other = await store.attempt(await store.sender());
    });

    it('that gives back what was never begun; its own is given back later', async () => {
      const leases = [locked.lease, other.lease];
      await whileLocked(locked, async () => {
        expect(await unclaim(store.database, leases)).toEqual(new Set([locked.lease]));
        expect(await store.dispatches(other)).toMatchObject([{ state: 'RETRY', attempts: 0 }]);
        expect(await store.dispatches(locked)).toMatchObject([{ state: 'DISPATCHING', attempts: 1 }]);
      });
      expect(await unclaim(store.database, leases)).toEqual(new Set());
      expect(await store.dispatches(locked)).toMatchObject([{ state: 'RETRY', attempts: 0 }]);
    });

    it('that fails what is past its deadline; its own takes no place of theirs, and fails later', async () => {
      for (const attempt of [locked, other]) {
        await store.settle(settlementOf(attempt, { state: 'unknown', reason: 'cut' }));
        await store.letTimePass(attempt);
      }
      const fail = (): Promise<number> => failExpired(store.database, 1, new Date());
      await whileLocked(locked, async () => {
        expect([await fail(), await fail()]).toEqual([1, 0]);
        expect(await store.message(other)).toMatchObject({ status: 'FAILED' });
        expect(await store.message(locked)).toMatchObject({ status: 'QUEUED' });
      });
      expect([await fail(), await fail()]).toEqual([1, 0]);
      expect(await store.message(locked)).toMatchObject({ status: 'FAILED' });
    });

    it('that finds leases which have ended; the outcome of its own is unknown later', async () => {
      for (const attempt of [locked, other]) await store.letTimePass(attempt);
      const abandon = async (): Promise<string[]> =>
        (await abandonOverdue(store.database, 2, SETTLE_DEADLINE_MS)).map(({ messageId }) => messageId);
      await whileLocked(
        locked,
        async () => {
          expect([await abandon(), await abandon()]).toEqual([[other.messageId], []]);
          expect(await store.dispatches(locked)).toMatchObject([{ state: 'DISPATCHING' }]);
        },
        'dispatch',
      );
      expect(await abandon()).toEqual([locked.messageId]);
    });

    async function whileLocked(
      { organizationId }: Attempt,
      work: () => Promise<void>,
      table = 'conversation',
    ): Promise<void> {
      const holder = await store.superuser.connect();
      try {
        await holder.query('BEGIN');
        await holder.query(`SELECT FROM messaging.${table} WHERE organization_id = $1 FOR UPDATE`, [organizationId]);
        await work();
      } finally {
        await holder.query('ROLLBACK');
        holder.release(true);
      }
    }
  });
});
