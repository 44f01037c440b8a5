import { beforeAll, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { MessagingStore } from './messaging-store.js';

const servers = testServers();
let store: MessagingStore;

beforeAll(async () => {
  store = await MessagingStore.open(servers);
});

it('connects channels in a database that no service has written to for weeks', async () => {
  await store.superuser.dataSource.query(`
    DO $$
    DECLARE
      child text;
    BEGIN
      FOR child IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'messaging.outbox'::regclass LOOP
        EXECUTE 'DROP TABLE ' || child;
      END LOOP;
    END $$`);
  const { organizationId, channelId } = await store.sender();
  expect(await store.events(organizationId)).toMatchObject([{ aggregateId: channelId }]);
});
