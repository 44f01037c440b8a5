import { beforeAll, expect, it } from '@jest/globals';
import { getErasureRpc, type ErasedNumbers } from '@switchboard/contracts/contacts/rpc';
import { foreignLinesRpc } from '@switchboard/contracts/messaging/line-rpc';
import { callbackMessage } from '@switchboard/contracts/gateway/events';
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

/** A service's worker, round by round. */
class Worker extends EraseCallbacksWorker {
  override async round(): Promise<RoundResult> {
    return super.round();
  }
}
