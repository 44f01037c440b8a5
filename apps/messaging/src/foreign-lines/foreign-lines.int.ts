import { beforeAll, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { testServers } from '@switchboard/testing';
import { ForeignLineReader } from '../channel/foreign-lines.js';
import { MessagingStore } from '../../test/messaging-store.js';

const servers = testServers();
let store: MessagingStore;

beforeAll(async () => {
  store = await MessagingStore.open(servers);
});

it('lines of others are foreign, accounts where none is ours, and what is no channel is not', async () => {
  const [us, them] = [await store.sender(), await store.sender()];
  const line = async (owner: { organizationId: string }, businessAccountId: string): Promise<string> => {
    const phoneNumberId = newCuid();
    await store.connect({ ...us, ...owner, channelId: newCuid(), phoneNumberId }, 'token', false);
    const sql = 'UPDATE messaging.channel SET business_account_id = $1 WHERE phone_number_id = $2';
    await store.superuser.dataSource.query(sql, [businessAccountId, phoneNumberId]);
    return phoneNumberId;
  };
  const ours = [us.phoneNumberId, await line(us, '20'), await line(us, '21')];
  const theirs = [them.phoneNumberId, await line(them, '21'), await line(them, '22')];
  const asked = {
    phoneNumberIds: [...ours, ...theirs, 'unknown'],
    businessAccountIds: ['20', '21', '22', 'unknown'],
  };
  const foreign = await new ForeignLineReader(store.database).among(us.organizationId, asked);
  expect([new Set(foreign.phoneNumberIds), foreign.businessAccountIds]).toEqual([new Set(theirs), ['22']]);
  const none = { phoneNumberIds: [], businessAccountIds: [] };
  expect(await new ForeignLineReader(store.database).among(us.organizationId, none)).toEqual(none);
});
