import { beforeAll, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { idOf } from '../../test/aged-messages.js';
import { callbackOf, MessagingStore, settlementOf, taken, type Sender } from '../../test/messaging-store.js';

const servers = testServers();
const FOR_LONG = '2100-01-01T09:00:00.000Z';
let store: MessagingStore;
beforeAll(async () => {
  store = await MessagingStore.open(servers);
});

interface Row {
  readonly status: string;
  readonly position: string;
  readonly at: Date;
  readonly snoozedUntil: Date | null;
}

async function conversationOf({ organizationId }: Sender): Promise<Row | undefined> {
  const sql = `SELECT status, position, last_message_at AS at, snoozed_until AS "snoozedUntil"
    FROM messaging.conversation WHERE organization_id = $1`;
  return (await store.superuser.dataSource.query<Row[]>(sql, [organizationId]))[0];
}

describe('a conversation', () => {
  it('has its place and its time by its newest message, though an older one is stored behind that', async () => {
    const sender = await store.sender();
    const newest = new Date();
    const sent = (ms: number) => store.accept([{ ...store.request(sender), messageId: idOf(new Date(ms)) }]);
    await sent(newest.getTime());
    const before = await conversationOf(sender);
    await sent(newest.getTime() - 2_000);
    expect(await conversationOf(sender)).toEqual(before);
    await sent(newest.getTime() + 1);
    expect((await conversationOf(sender))?.at).toEqual(new Date(newest.getTime() + 1));
  });

  it('stays snoozed, and until then, when a message is sent in it', async () => {
    const sender = await store.sender();
    await store.attempt(sender);
    await store.superuser.dataSource.query(
      "UPDATE messaging.conversation SET status = 'SNOOZED', snoozed_until = $2 WHERE organization_id = $1",
      [sender.organizationId, FOR_LONG],
    );
    await store.attempt(sender);
    expect(await conversationOf(sender)).toMatchObject({ status: 'SNOOZED', snoozedUntil: new Date(FOR_LONG) });
  });
});

it('a message keeps the id of the upstream that was known first, whatever a status says later', async () => {
  const sender = await store.sender();
  const attempt = await store.attempt(sender);
  await store.settle(settlementOf(attempt, taken(attempt)));
  await store.callbacks(callbackOf(sender, attempt, { id: 'wamid.another', status: 'delivered' }));
  expect(await store.message(attempt)).toMatchObject({
    status: 'DELIVERED',
    upstreamMessageId: `wamid.${attempt.messageId}`,
  });
});

it('a message keeps no words of the upstream of a contact that is erased, only the code', async () => {
  const sender = await store.sender();
  const attempt = await store.attempt(sender);
  await store.settle(settlementOf(attempt, taken(attempt)));
  await store.superuser.dataSource.query(
    'INSERT INTO messaging.erasure (organization_id, contact_id, erased_at) VALUES ($1, $2, now())',
    [sender.organizationId, attempt.contactId],
  );
  const errors = [{ code: 131_026, message: `${attempt.recipientPhone} is not there` }];
  await store.callbacks(callbackOf(sender, attempt, { status: 'failed', errors }));
  expect(await store.message(attempt)).toMatchObject({ status: 'FAILED', errorCode: '131026', errorMessage: '' });
});
