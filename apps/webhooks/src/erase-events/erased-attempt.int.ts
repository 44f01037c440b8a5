import { expect, it } from '@jest/globals';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import { migrate, statement, type Database } from '@switchboard/postgres';
import { blocksOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import { webhooksMigrations } from '../migrations/all.js';
import { removeWebhook } from '../webhook/webhook.repository.js';
import { eraseAttempts } from './erased-attempt.repository.js';

const servers = testServers();
const insertSql = statement(
  't.attempt',
  `INSERT INTO attempt (webhook_id, id, organization_id, delivery_id, event_id, type, kind, number, began_at, duration_ms,
     response_status, response_body, outcome, delivery_state)
   VALUES ($4, $1, $2, 'cdelivery1', $1, 'message.received', 'AUTOMATIC', 1, now(), 1, 400, $3, 'FAILED', 'FAILED')`,
);
const webhookSql = statement(
  't.webhook',
  `INSERT INTO webhook (organization_id, id, url, events, secret_sealed, events_from)
   VALUES ($1, $2, 'http://localhost/', '{}', '', '')`,
);
const storedSql = statement<{ body: string }>('t.stored', 'SELECT response_body AS body FROM attempt ORDER BY id');

const numbers = { phoneForms: ['+12015550102'], upstreamUserIds: [], upstreamNames: ['12015550102'] };

/** Overwrites what was answered about a contact who has the number 102. */
async function erase(
  database: Database,
  organizationId: string,
  {
    formerNames = [],
    eventIds = [],
  }: {
    readonly formerNames?: readonly { readonly name: string; readonly until: Date }[];
    readonly eventIds?: readonly string[];
  } = {},
): Promise<void> {
  const erased = { organizationId, contactId: newCuid(), erasedAt: new Date(), passes: 0, ...numbers, formerNames };
  await eraseAttempts(database, { ...erased, keepOn: () => Promise.resolve() }, eventIds);
}

it('an answer that repeats a former number of an erased contact is overwritten when it came while they had it', async () => {
  const database = await (await servers.serviceDatabase('webhooks', webhooksMigrations)).database();
  const organizationId = newCuid();
  await database.query(webhookSql, [organizationId, 'cwebhook1']);
  const until = new Date(Date.now() - 2_000);
  const store = (ms: number, body: string) => {
    const id = cuidFloor(new Date(until.getTime() + ms)) + newCuid().slice(9);
    return database.query(insertSql, [id, organizationId, body, 'cwebhook1']);
  };
  await store(-1_000, 'no such number: 12015550101');
  await store(-900, 'no such number: 12015550199');
  await store(1_000, 'no such number: 12015550101');
  await store(1_100, 'no such number: 12015550102');
  await erase(database, organizationId, { formerNames: [{ name: '12015550101', until }] });
  const bodies = (await database.query(storedSql, [])).map(({ body }) => body.replace('no such number: ', ''));
  expect(bodies).toEqual(['', '12015550199', '12015550101', '']);
});

it('an attempt of which nothing is to be overwritten is not written, also of an event about the contact', async () => {
  const database = await (await servers.serviceDatabase('webhooks', webhooksMigrations)).database();
  const [organizationId, eventId] = [newCuid(), newCuid()];
  await database.query(webhookSql, [organizationId, 'cwebhook1']);
  await database.query(insertSql, [eventId, organizationId, null, 'cwebhook1']);
  const failedSql = statement('t.failed', `UPDATE attempt SET response_status = NULL, error = 'no response'`);
  await database.query(failedSql, []);
  const writtenSql = statement<{ by: string }>('t.written', 'SELECT xmin::text AS by FROM attempt');
  const before = await database.query(writtenSql, []);
  await erase(database, organizationId, { eventIds: [eventId] });
  expect(await database.query(writtenSql, [])).toEqual(before);
});

it('what was answered to webhooks that are deleted is overwritten too, and no other organization is looked at', async () => {
  const prepared = await servers.serviceDatabase('webhooks', webhooksMigrations.slice(0, -1));
  const database = await prepared.database({ poolMax: 1 });
  const organizationId = newCuid();
  // Deleted when nothing was kept of a webhook yet, but what was answered.
  await database.query(insertSql, [newCuid(), organizationId, 'no 12015550102', 'cformer']);
  const { migratorUrl: url, role: serviceRole } = prepared;
  await migrate({ url, schema: 'webhooks', migrations: webhooksMigrations, serviceRole });
  for (const id of ['cdeleted', 'ckept']) {
    await database.query(webhookSql, [organizationId, id]);
    await database.query(insertSql, [newCuid(), organizationId, 'no 12015550102', id]);
  }
  await database.transaction((tx) => removeWebhook(tx, organizationId, 'cdeleted'));
  for (let n = 0; n < 100; n++) {
    await database.query(insertSql, [newCuid(), 'corganization2', 'no 12015550102', `cother${n}`]);
  }
  await erase(database, organizationId);
  const stored = await database.query(storedSql, []);
  expect(stored.filter(({ body }) => body === '')).toHaveLength(3);
  expect(stored.filter(({ body }) => body !== '')).toHaveLength(100);
  const walk = (await preparedStatements(database)).find(({ name }) => name === 'webhooks.attempt.erasure-webhooks');
  if (!walk) throw new Error('the statement was not prepared');
  const plan = await planOf(database, walk, { values: [`'${organizationId}'`, `''`], analyze: true });
  expect(blocksOf(plan)).toBeLessThan(20);
});
