import { beforeAll, expect, it } from '@jest/globals';
import { getErasureRpc, type ErasedNumbers } from '@switchboard/contracts/contacts/rpc';
import { foreignLinesRpc } from '@switchboard/contracts/messaging/line-rpc';
import {
  callbackChange,
  callbackMessage,
  callbackPreference,
  callbackStatus,
} from '@switchboard/contracts/gateway/events';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import type { RpcClient } from '@switchboard/nats';
import { createLog, EraseSignal, noteErasures, type RoundResult } from '@switchboard/platform';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { gatewayMigrations } from '../migrations/all.js';
import { EraseCallbacksWorker } from './erase-callbacks.worker.js';

const servers = testServers();
const FORMER = '12015550101';
const insertSql = statement(
  't.outbox',
  'INSERT INTO outbox (id, aggregate_id, subject, payload) VALUES ($1, $2, $3, $4)',
);
const publishedSql = statement('t.published', 'DELETE FROM outbox_pending');
const storedSql = statement<{ payload: string }>('t.stored', 'SELECT payload FROM outbox ORDER BY id');
let database: Database;

beforeAll(async () => {
  database = await (await servers.serviceDatabase('gateway', gatewayMigrations)).database();
});

it('what a person said from a former number is overwritten, and what somebody else says from it since then is kept', async () => {
  const [organizationId, contactId, now] = [newCuid(), newCuid(), Date.now()];
  const until = new Date(now - 2_000);
  const store = async (at: number, text: string, phoneNumberId = '106'): Promise<void> => {
    const id = cuidFloor(new Date(at)) + newCuid().slice(9);
    const message = { id: newCuid(), from: FORMER, timestamp: '1', type: 'text', text: { body: text } };
    const payload = JSON.stringify({
      id,
      subject: callbackMessage.subject,
      organizationId: null,
      aggregateId: `106:${FORMER}`,
      sequence: null,
      occurredAt: new Date(at).toISOString(),
      data: { phoneNumberId, item: { message, profileName: text } },
    });
    await database.query(insertSql, [id, `106:${FORMER}`, callbackMessage.subject, payload]);
  };
  await store(until.getTime() - 1, 'of the person');
  await store(until.getTime(), 'of somebody else');
  await store(until.getTime() - 2, 'to another organization', '107');
  await database.query(publishedSql, []);
  const numbers: ErasedNumbers = {
    phoneForms: [],
    upstreamUserIds: [],
    former: [{ phoneForms: [`+${FORMER}`], upstreamUserIds: [], until: until.toISOString() }],
  };
  const call = async (asked: unknown): Promise<unknown> => {
    if (asked === foreignLinesRpc) return { phoneNumberIds: ['107'], businessAccountIds: [] };
    return asked === getErasureRpc ? numbers : {};
  };
  const rpc = { call } as unknown as RpcClient;
  const worker = new Worker(database, rpc, new EraseSignal(), createLog('gateway', { write: () => undefined }));
  await noteErasures(database, [{ organizationId, contactId, erasedAt: new Date(now) }]);
  expect(await worker.round()).toBe(true);
  const [foreign, own, other] = (await database.query(storedSql, [])).map(({ payload }) => payload);
  expect(foreign).toMatch(/12015550101.*to another organization/);
  expect(own).toContain('"aggregateId":"106:"');
  expect(own).not.toMatch(/of the person|12015550101/);
  expect(other).toMatch(/12015550101.*of somebody else/);
});

it('people of several organizations are overwritten together, each by lines of their own, wherever the provider names them', async () => {
  await database.query(statement('t.delete', 'DELETE FROM outbox'), []);
  await database.query(statement('t.none', 'DELETE FROM erasure'), []);
  const [shared, changed, messagingId] = ['12015550111', '12015550112', 'US.13491208655302741918'];
  const before = new Date(Date.now() - 60_000);
  const store = async (subject: string, data: unknown): Promise<void> => {
    const id = cuidFloor(before) + newCuid().slice(9);
    const common = { id, subject, organizationId: null, aggregateId: 'x:y', sequence: null };
    const payload = JSON.stringify({ ...common, occurredAt: before.toISOString(), data });
    await database.query(insertSql, [id, 'x:y', subject, payload]);
  };
  const status = (recipient: string, phoneNumberId: string) => {
    const item = { id: `wamid.${phoneNumberId}`, status: 'read', timestamp: '1', recipient_id: recipient };
    return store(callbackStatus.subject, { phoneNumberId, item });
  };
  const note = { type: 'system', from: 'x', system: { body: `User A changed from ${changed} to 12015550199` } };
  await status(shared, '106');
  await status(`+${shared}`, '107');
  await status('12015550110', '107');
  await store(callbackMessage.subject, { phoneNumberId: '107', item: { message: note, profileName: null } });
  await store(callbackChange.subject, { businessAccountId: '1', value: { text: `now ${messagingId}.` } });
  await store(callbackPreference.subject, {
    phoneNumberId: '107',
    item: { wa_id: 'x', user_id: messagingId, value: 'stop', timestamp: '1' },
  });
  await database.query(publishedSql, []);

  const [first, second] = [newCuid(), newCuid()];
  const people = [
    { organizationId: first, contactId: newCuid(), numbers: { phoneForms: [`+${shared}`], upstreamUserIds: [] } },
    { organizationId: second, contactId: newCuid(), numbers: { phoneForms: [`+${shared}`], upstreamUserIds: [] } },
    {
      organizationId: second,
      contactId: newCuid(),
      numbers: { phoneForms: [`+${changed}`], upstreamUserIds: [messagingId] },
    },
  ];
  // Line 106 is the first organization's, 107 the second's.
  const call = async (asked: unknown, { organizationId }: { organizationId: string }, body: unknown) => {
    if (asked === foreignLinesRpc) {
      return { phoneNumberIds: [organizationId === first ? '107' : '106'], businessAccountIds: [] };
    }
    const { contactId } = body as { contactId: string };
    return asked === getErasureRpc ? people.find((person) => person.contactId === contactId)?.numbers : {};
  };
  const log = createLog('gateway', { write: () => undefined });
  const worker = new Worker(database, { call } as unknown as RpcClient, new EraseSignal(), log);
  await noteErasures(
    database,
    people.map(({ organizationId, contactId }) => ({ organizationId, contactId, erasedAt: new Date() })),
  );
  expect(await worker.round()).toBe(true);
  const stored = (await database.query(storedSql, [])).map(({ payload }) => payload);
  expect(stored).toHaveLength(6);
  for (const name of [shared, changed, messagingId]) expect(stored.filter((json) => json.includes(name))).toEqual([]);
  expect(stored.filter((json) => json.includes('12015550110'))).toHaveLength(1);
});

/** A service's worker, round by round. */
class Worker extends EraseCallbacksWorker {
  override async round(): Promise<RoundResult> {
    return super.round();
  }
}
