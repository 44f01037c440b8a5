import { expect, it } from '@jest/globals';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { webhooksMigrations } from '../migrations/all.js';
import { eraseAttempts } from './erased-attempt.repository.js';

const servers = testServers();
const insertSql = statement(
  't.attempt',
  `INSERT INTO attempt (webhook_id, id, organization_id, delivery_id, event_id, type, kind, number, began_at, duration_ms,
     response_status, response_body, outcome, delivery_state)
   VALUES ('cwebhook1', $1, $2, 'cdelivery1', $1, 'message.received', 'AUTOMATIC', 1, now(), 1, 400, $3, 'FAILED', 'FAILED')`,
);
const storedSql = statement<{ body: string }>('t.stored', 'SELECT response_body AS body FROM attempt ORDER BY id');

it('an answer that repeats a former number of an erased contact is overwritten when it came while they had it', async () => {
  const database = await (await servers.serviceDatabase('webhooks', webhooksMigrations)).database();
  const organizationId = newCuid();
  const until = new Date(Date.now() - 2_000);
  const store = (ms: number, body: string) =>
    database.query(insertSql, [cuidFloor(new Date(until.getTime() + ms)) + newCuid().slice(9), organizationId, body]);
  await store(-1_000, 'no such number: 12015550101');
  await store(-900, 'no such number: 12015550199');
  await store(1_000, 'no such number: 12015550101');
  await store(1_100, 'no such number: 12015550102');
  const numbers = { phoneForms: ['+12015550102'], upstreamUserIds: [], upstreamNames: ['12015550102'] };
  const formerNames = [{ name: '12015550101', until }];
  const erased = { organizationId, contactId: newCuid(), erasedAt: new Date(), passes: 0, ...numbers, formerNames };
  await eraseAttempts(database, { ...erased, keepOn: () => Promise.resolve() }, []);
  const bodies = (await database.query(storedSql, [])).map(({ body }) => body.replace('no such number: ', ''));
  expect(bodies).toEqual(['', '12015550199', '12015550101', '']);
});
