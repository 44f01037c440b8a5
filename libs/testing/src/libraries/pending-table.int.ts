import { beforeAll, describe, expect, it } from '@jest/globals';
import { EventPublisher } from '@switchboard/nats';
import { appendEvents, outboxTables, pendingTable, pendingTableReversal, Relay } from '@switchboard/outbox';
import { partitionFunctions, type Database } from '@switchboard/postgres';
import { eventually, testServers, type ServiceDatabase } from '../index.js';
import { eventOf, Outbox1764000000000, unpublished } from './outbox-fixture.js';

const servers = testServers();

interface Runner {
  query(sql: string): Promise<unknown>;
}

class Former1764000000000 {
  readonly name = 'Former1764000000000';

  async up(runner: Runner): Promise<void> {
    await runner.query(partitionFunctions);
    await runner.query(outboxTables);
  }

  async down(): Promise<void> {}
}

type Ask = (sql: string) => Promise<Record<string, unknown>[]>;
async function asked(prepared: ServiceDatabase): Promise<Ask> {
  const { dataSource } = await prepared.superuser();
  return (sql) => dataSource.query(sql);
}

describe('events that are to be published', () => {
  let prepared: ServiceDatabase;
  let database: Database;
  let ask: Ask;
  beforeAll(async () => {
    prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
    database = await prepared.database();
    ask = await asked(prepared);
  });

  it('are pending from their insertion on, and are as they were inserted when they have gone', async () => {
    const rows = (): Promise<unknown> => ask('SELECT ctid, * FROM contacts.outbox ORDER BY position');
    await database.transaction(async (tx) => appendEvents(tx, [eventOf('a', 1), eventOf('a', 2), eventOf('b', 1)]));
    const before = await rows();
    expect(before).toHaveLength(3);
    expect(await ask('SELECT id, position FROM contacts.outbox_pending ORDER BY position')).toEqual(
      await ask('SELECT id, position FROM contacts.outbox ORDER BY position'),
    );
    const broker = new EventPublisher(await (await servers.nats()).connect('contacts'), 'contacts');
    const relay = new Relay({ database, service: 'contacts', broker, report: () => undefined, pollIntervalMs: 20 });
    relay.start();
    servers.onEnd(() => relay.stop());
    await eventually(async () => (await database.query(unpublished, []))[0]?.n === 0);
    expect(await rows()).toEqual(before);
  });

  it('are pending by whoever inserts them, as one who does not know of it', async () => {
    const { dataSource } = await prepared.superuser();
    const writer = dataSource.createQueryRunner();
    await writer.startTransaction();
    await writer.query(`INSERT INTO contacts.outbox (id, aggregate_id, subject, payload)
      SELECT contacts.cuid_floor(now()) || lpad(n::text, 16, 'a'), 'a', 'contacts.note.v1', '{}' FROM generate_series(1, 3) AS n`);
    expect(await writer.query('SELECT id, position FROM contacts.outbox_pending')).toHaveLength(3);
    await writer.rollbackTransaction();
    await writer.release();
  });
});

describe('the migration to a table of what is pending', () => {
  it('keeps what is pending, published and given up, there and back', async () => {
    const prepared = await servers.serviceDatabase('templates', [Former1764000000000]);
    const ask = await asked(prepared);
    const run = (sql: string): Promise<unknown> => ask(`SET search_path = templates; ${sql}`);
    await run(`
      INSERT INTO outbox (id, aggregate_id, subject, payload, published_at)
      SELECT cuid_floor(now()) || lpad(name, 16, 'a'), 'a', 's', '{}', published_at::timestamptz
      FROM (VALUES ('open', NULL), ('gone', '2026-01-01'), ('lost', '-infinity')) AS given(name, published_at);
      INSERT INTO dead_letter (event_id, consumer, subject, envelope, error, deliveries)
      SELECT id, 'relay', 's', '{}', 'e', 1 FROM outbox WHERE published_at = '-infinity'`);
    const state = (): Promise<unknown> =>
      ask(`SELECT right(id, 4) AS name, published_at IS NULL AS "isOpen", published_at = '-infinity' AS "isLost"
        FROM templates.outbox ORDER BY 1`);
    const before = await state();
    expect(before).toHaveLength(3);
    for (let rounds = 0; rounds < 2; rounds++) {
      await run(`BEGIN; ${pendingTable}; COMMIT`);
      expect(await ask('SELECT right(id, 4) AS name FROM templates.outbox_pending')).toEqual([{ name: 'open' }]);
      await run(`BEGIN; ${pendingTableReversal}; COMMIT`);
      expect(await state()).toEqual(before);
    }
  });
});
