import { beforeAll, describe, expect, it } from '@jest/globals';
import { createLog } from '@switchboard/platform';
import { deadlocksIn, eventually, lockWaiters, testServers } from '@switchboard/testing';
import { contactOf, MessagingStore } from '../../test/messaging-store.js';
import { ApplySuppressions } from './apply-suppressions.js';

const servers = testServers();

describe('the fence of opt-outs', () => {
  let store: MessagingStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });

  it('is run again when the server breaks a circle of locks at its expense', async () => {
    const sender = await store.sender();
    const { organizationId, contacts } = sender;
    const fence = new ApplySuppressions(store.database, createLog('messaging', { write: () => undefined }));
    const other = await store.superuser.connect();
    try {
      // It waits for long before it looks for a circle: the fence finds it.
      await other.query("BEGIN; SET LOCAL deadlock_timeout = '20s'");
      await other.query('SELECT FROM messaging.contact_phone WHERE organization_id = $1 FOR UPDATE', [organizationId]);
      const [first] = contacts;
      const facts = contactOf(organizationId, first?.id ?? '', first?.phone ?? '').contact;
      const contact = { ...facts, version: 2, optOuts: [{ channelId: '*', source: 'API' as const }] };
      const fenced = fence.execute(organizationId, { contact }, new AbortController().signal);
      await eventually(async () => (await lockWaiters(store.superuser)) === 1);
      await other.query('SELECT FROM messaging.contact WHERE organization_id = $1 FOR UPDATE', [organizationId]);
      // It may run into the other one again before that one ends.
      expect(deadlocksIn(await servers.postgresLog())).not.toEqual([]);
      await other.query('COMMIT');
      await fenced;
      expect((await store.accept([store.request(sender)]))[0]?.verdict).toBe('opted-out');
    } finally {
      other.release(true);
    }
  });
});
