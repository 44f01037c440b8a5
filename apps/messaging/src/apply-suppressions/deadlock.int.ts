import { beforeAll, describe, expect, it } from '@jest/globals';
import { createLog } from '@switchboard/platform';
import { deadlocksIn, eventually, lockWaiters, testServers } from '@switchboard/testing';
import { contactOf, MessagingStore } from '../../test/messaging-store.js';
import { ApplySuppressions } from './apply-suppressions.js';

const servers = testServers();
const CONTACT = 'SELECT FROM messaging.contact WHERE organization_id = $1 AND id = $2 FOR UPDATE';
const PHONES = 'SELECT FROM messaging.contact_phone WHERE organization_id = $1 FOR UPDATE';

describe('the fence of opt-outs', () => {
  let store: MessagingStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });

  it('is run again when the server breaks a circle of locks at its expense', async () => {
    const sender = await store.sender(2);
    const { organizationId } = sender;
    // In the order in which the fence locks them.
    const [first, second] = sender.contacts.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    if (!first || !second) throw new Error('too few contacts');
    const fence = new ApplySuppressions(store.database, createLog('messaging', { write: () => undefined }));
    const waiting = (count: number): Promise<true> =>
      eventually(async () => (await lockWaiters(store.superuser)) === count);
    const [gate, other] = [await store.superuser.connect(), await store.superuser.connect()];
    try {
      // It never looks for a circle: the fence does, a second after it has begun to wait.
      await other.query("BEGIN; SET LOCAL deadlock_timeout = '1h'");
      await other.query(PHONES, [organizationId]);
      await gate.query('BEGIN');
      await gate.query(CONTACT, [organizationId, second.id]);
      const factsOf = ({ id, phone }: typeof first) => ({
        ...contactOf(organizationId, id, phone).contact,
        version: 2,
      });
      const contact = { ...factsOf(first), optOuts: [{ channelId: '*', source: 'API' as const }] };
      const merged = [{ ...factsOf(second), phoneForms: [], mergedInto: first.id }];
      const fenced = fence.execute(organizationId, { contact, merged }, new AbortController().signal);
      // It has the first contact, and waits for the second: for the phones not before the other one waits for it.
      await waiting(1);
      const locked = other.query(CONTACT, [organizationId, first.id]);
      await waiting(2);
      await gate.query('COMMIT');
      await locked;
      // It may run into the other one again before that one ends.
      expect(deadlocksIn(await servers.postgresLog())).not.toEqual([]);
      await other.query('COMMIT');
      await fenced;
      const verdicts = (await store.accept([store.request(sender, 0), store.request(sender, 1)])).map(
        ({ verdict }) => verdict,
      );
      expect(verdicts).toContain('opted-out');
    } finally {
      for (const client of [gate, other]) client.release(true);
    }
  });
});
