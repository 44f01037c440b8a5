import { expect, it, jest } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import {
  createLog,
  EraseSignal,
  ErasureWorker,
  noteErasures,
  type ErasureTarget,
  type RoundResult,
} from '@switchboard/platform';
import { statement } from '@switchboard/postgres';
import { testServers } from '../index.js';
import { Erasure1764000000001 } from './erasure-fixture.js';
import { Outbox1764000000000 } from './outbox-fixture.js';

const servers = testServers();
const insertSql = statement(
  't.outbox',
  'INSERT INTO outbox (id, aggregate_id, subject, payload) VALUES ($1, $2, $3, $4)',
);
const storedSql = statement<{ id: string; name: string | null }>(
  't.stored',
  `SELECT aggregate_id AS id, payload::json #>> '{data,contact,name}' AS name FROM outbox ORDER BY aggregate_id`,
);
const passesSql = statement<{ id: string; passes: number }>(
  't.passes',
  'SELECT contact_id AS id, passes FROM erasure ORDER BY contact_id',
);

/** Whose rows of contacts are locked by others. */
class Worker extends ErasureWorker {
  readonly locked = new Set<string>();

  turn(): Promise<RoundResult> {
    return this.round();
  }

  protected override async erase({ contactId }: ErasureTarget): Promise<boolean> {
    if (this.locked.has(contactId)) throw new Error('a row is locked');
    return true;
  }
}

it('many contacts are erased in one walk through stored events, and one of whom something fails is left alone', async () => {
  const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000, Erasure1764000000001]);
  const database = await prepared.database();
  const erased = Array.from({ length: 30 }, (_none, index) => ({
    organizationId: `o${index % 3}`,
    contactId: newCuid(),
    erasedAt: new Date(),
  }));
  const other = newCuid();
  for (const id of [...erased.map(({ contactId }) => contactId), other]) {
    const subject = 'contacts.contact.changed.v1';
    const envelope = { id: newCuid(), subject, aggregateId: id, data: { contact: { id, name: `of ${id}` } } };
    await database.query(insertSql, [envelope.id, id, subject, JSON.stringify(envelope)]);
  }
  await noteErasures(database, erased);
  const book = {
    numbersOf: async () => ({ phoneForms: [], upstreamUserIds: [] }),
    confirm: async () => undefined,
  };
  const log = createLog('contacts', { write: () => undefined });
  const worker = new Worker({ database, book, log, signal: new EraseSignal() });
  const [{ contactId: failing } = { contactId: '' }] = erased;
  worker.locked.add(failing);

  const asked = jest.spyOn(database, 'query');
  await expect(worker.turn()).rejects.toThrow('a row is locked');
  expect(asked.mock.calls.filter(([{ name }]) => name === 'erasure.outbox-slice')).toHaveLength(1);
  const kept = [failing, other];
  const stored = await database.query(storedSql, []);
  expect(stored).toHaveLength(31);
  for (const { id, name } of stored) expect([id, name]).toEqual([id, kept.includes(id) ? `of ${id}` : null]);
  for (const { id, passes } of await database.query(passesSql, []))
    expect([id, passes]).toEqual([id, id === failing ? 0 : 1]);
});

it('those whose turn did not come, as something failed of one after another, come before these', async () => {
  const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000, Erasure1764000000001]);
  const database = await prepared.database();
  const contacts = ['a', 'b', 'c', 'd', 'e'].map((contactId) => ({ organizationId: 'o', contactId }));
  for (const contact of contacts) await noteErasures(database, [{ ...contact, erasedAt: new Date() }]);
  const book = {
    numbersOf: async () => ({ phoneForms: [], upstreamUserIds: [] }),
    confirm: async () => undefined,
  };
  const log = createLog('contacts', { write: () => undefined });
  const worker = new Worker({ database, book, log, signal: new EraseSignal() });
  for (const contactId of ['a', 'b', 'c']) worker.locked.add(contactId);
  const passes = async (): Promise<readonly number[]> => (await database.query(passesSql, [])).map((row) => row.passes);
  await expect(worker.turn()).rejects.toThrow('a row is locked');
  expect(await passes()).toEqual([0, 0, 0, 0, 0]);
  expect(await worker.turn()).toBe(true);
  expect(await passes()).toEqual([0, 0, 0, 1, 1]);
});
