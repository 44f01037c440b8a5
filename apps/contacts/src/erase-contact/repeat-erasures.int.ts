import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Relay } from '@switchboard/outbox';
import { createLog, EraseSignal, ErasureWorker, noteErasures, type RoundResult } from '@switchboard/platform';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { contactsMigrations } from '../migrations/all.js';
import { RepeatErasuresWorker } from './repeat-erasures.worker.js';

const servers = testServers();
const erasedAt = new Date('2026-01-02T03:04:05.678Z');
const insertSql = statement(
  't.erasure',
  `WITH number AS (
     INSERT INTO erased_number (organization_id, contact_id, aliases, waits_for, announced_at, sequence)
     VALUES ($1, $2, '{+12015550123}', $3, now() - make_interval(hours => $4), 7))
   INSERT INTO erasure (organization_id, contact_id, erased_at, due_at) VALUES ($1, $2, $5, NULL)`,
);
const eventsSql = statement<{ subject: string; data: unknown; occurredAt: string; sequence: number }>(
  't.events',
  `SELECT subject, payload::json->'data' AS data, payload::json->>'occurredAt' AS "occurredAt",
     (payload::json->>'sequence')::int AS sequence FROM outbox WHERE payload::json->>'organizationId' = $1`,
);
const endedSql = statement('t.end-erasure', 'UPDATE erasure SET passes = 2 WHERE contact_id = $1');
let database: Database;
let wakes = 0;
let worker: RepeatErasuresWorker;

beforeAll(async () => {
  database = await (await servers.serviceDatabase('contacts', contactsMigrations)).database();
  const relay = { wake: () => void wakes++ } as Partial<Relay> as Relay;
  worker = new RepeatErasuresWorker(database, relay, createLog('contacts', { write: () => undefined }));
});

describe('an erasure that some service has not confirmed', () => {
  const erasure = async (
    waitsFor: readonly string[],
    hours: number,
  ): Promise<{ organizationId: string; id: string }> => {
    const [organizationId, id] = [newCuid(), newCuid()];
    await database.query(insertSql, [organizationId, id, waitsFor, hours, erasedAt]);
    return { organizationId, id };
  };

  it('is announced again after a day, as of the time of the erasure, and then not for a day', async () => {
    const { organizationId, id } = await erasure(['webhooks'], 25);
    expect([await worker.round(), await worker.round(), wakes]).toEqual([false, false, 1]);
    expect(await database.query(eventsSql, [organizationId])).toEqual([
      {
        subject: 'contacts.contact.erased.v1',
        data: { contactId: id },
        occurredAt: erasedAt.toISOString(),
        sequence: 7,
      },
    ]);
  });

  it('is confirmed again, and not made again, by a service that is done', async () => {
    const { organizationId, id: contactId } = await erasure([], 0);
    await database.query(endedSql, [contactId]);
    const confirmed: string[] = [];
    const service = new DoneService({
      database,
      book: {
        numbersOf: async () => Promise.reject(new Error('nothing is to be looked for')),
        confirm: async (erased) => void confirmed.push(erased.contactId),
      },
      log: createLog('webhooks', { write: () => undefined }),
      signal: new EraseSignal(),
    });
    await service.round();
    expect(confirmed).toEqual([]);
    await noteErasures(database, [{ organizationId, contactId, erasedAt }]);
    await service.round();
    await service.round();
    expect(confirmed).toEqual([contactId]);
  });

  it('is not announced again before, nor when all have confirmed', async () => {
    const others = [await erasure(['webhooks'], 23), await erasure([], 25)];
    await worker.round();
    for (const { organizationId } of others) expect(await database.query(eventsSql, [organizationId])).toEqual([]);
  });
});

/** A service's worker, round by round. */
class DoneService extends ErasureWorker {
  override async round(): Promise<RoundResult> {
    return super.round();
  }
}
