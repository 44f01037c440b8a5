import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Relay } from '@switchboard/outbox';
import { createLog, systemClock } from '@switchboard/platform';
import { testServers } from '@switchboard/testing';
import { ReleasedLeases } from '../src/dispatch/released-leases.js';
import { AcceptMessage, type AcceptResult } from '../src/send-message/accept-message.batch.js';
import { MessagingStore, type Sender } from './messaging-store.js';

const servers = testServers();
const CONTACTS = 4;

describe('a row of one organization that another session has locked', () => {
  let store: MessagingStore;
  let accept: AcceptMessage;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    const log = createLog('messaging', { write: () => undefined });
    const released = new ReleasedLeases(store.database, systemClock, log);
    accept = new AcceptMessage(store.database, { wakeSoon: () => undefined } as Relay, released, log);
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
});
