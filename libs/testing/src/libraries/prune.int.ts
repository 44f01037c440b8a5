import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { metrics as api } from '@opentelemetry/api';
import { pruneSql, statement, type Database } from '@switchboard/postgres';
import { createLog, PruneWorker, startMetrics, type Log, type Metrics, type PruneSpec } from '@switchboard/platform';
import { FakeClock, testServers } from '../index.js';

/** A table whose rows grow old. */
class Note1764000000000 {
  readonly name = 'Note1764000000000';

  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query(`
      CREATE TABLE contacts.note (owner text, id integer, at timestamptz NOT NULL, PRIMARY KEY (owner, id));
      CREATE INDEX note_at ON contacts.note (at);
    `);
  }

  async down(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query('DROP TABLE contacts.note');
  }
}

const upTo = '2026-01-02T00:00:00Z';
const sql = pruneSql({ table: 'note', key: ['owner', 'id'], age: 'at', upTo: '$2' });
const insert = statement(
  'test.insert-notes',
  `INSERT INTO note (owner, id, at)
   SELECT 'a', day, timestamptz '2026-01-01T00:00:00Z' + make_interval(hours => day) FROM generate_series(0, 48) AS day`,
);
const left = statement<{ id: number }>(
  'test.notes',
  "SELECT id FROM note WHERE at <= '2026-01-02T00:00:00Z' ORDER BY id",
);
const young = statement<{ count: number }>(
  'test.young-notes',
  "SELECT count(*)::int AS count FROM note WHERE at > '2026-01-02T00:00:00Z'",
);
const lock = statement('test.lock-note', 'SELECT FROM note WHERE id IN (0, 1) FOR UPDATE');

const servers = testServers();
let database: Database;
let metrics: Metrics;
const log = createLog('test', { write: () => undefined });

beforeAll(async () => {
  metrics = startMetrics('test', log);
  const prepared = await servers.serviceDatabase('contacts', [Note1764000000000]);
  database = await prepared.database();
});
afterAll(async () => {
  await metrics.stop();
  api.disable();
});
beforeEach(async () => {
  await database.query(statement('test.delete-notes', 'DELETE FROM note'), []);
  await database.query(insert, []);
});

const ids = async (): Promise<number[]> => (await database.query(left, [])).map(({ id }) => id);

describe('a prune worker', () => {
  const spec: PruneSpec = {
    rows: 'notes',
    statement: statement('test.prune-notes', sql),
    values: (nowMs) => [new Date(nowMs)],
    sliceMax: 10,
    idleMs: 2 ** 30,
  };

  it('deletes what is old, the oldest first and a slice a round, and counts it', async () => {
    const lines: unknown[] = [];
    const noting: Log = { ...log, info: (event, fields) => void lines.push([event, fields]) };
    const worker = new PruneWorker({ database, clock: new FakeClock(Date.parse(upTo)), log: noting }, spec);
    expect([await worker.round(), (await ids())[0]]).toEqual([true, 10]);
    expect([await worker.round(), (await ids())[0]]).toEqual([true, 20]);
    expect([await worker.round(), await ids()]).toEqual([false, []]);
    expect(await worker.round()).toBe(false);
    expect(await database.query(young, [])).toEqual([{ count: 24 }]);
    expect(lines).toEqual([10, 10, 5].map((count) => ['rows.pruned', { rows: 'notes', count }]));
    expect(await metrics.scrape()).toContain('switchboard_pruned_rows_total{rows="notes"} 25');
  });

  it('goes on by itself until nothing old is left, and ends with its round', async () => {
    const done = Promise.withResolvers<void>();
    let slices = 0;
    const query: Database['query'] = async (own, values) => {
      const rows = await database.query(own, values);
      if (++slices === 3) done.resolve();
      return rows;
    };
    const worker = new PruneWorker({ database: { query }, clock: new FakeClock(Date.parse(upTo)), log }, spec);
    worker.onApplicationBootstrap();
    await done.promise;
    await worker.onModuleDestroy();
    expect([await ids(), slices]).toEqual([[], 3]);
  });

  it('leaves rows that a transaction has locked, without waiting for it', async () => {
    const worker = new PruneWorker(
      { database, clock: new FakeClock(Date.parse(upTo)), log },
      { ...spec, sliceMax: 100 },
    );
    await database.transaction(async (tx) => {
      await tx.query(lock, []);
      expect([await worker.round(), await ids()]).toEqual([false, [0, 1]]);
    });
    expect([await worker.round(), await ids()]).toEqual([false, []]);
  });

  it('finds its rows by the index of their age, and deletes them by their key', async () => {
    const plan = await database.dataSource.query(
      `EXPLAIN ${sql.replace('$1', '10').replace('$2', `timestamptz '${upTo}'`)}`,
    );
    const text = JSON.stringify(plan);
    expect(text).toContain('Index Scan using note_at');
    expect(text).toContain('Index Scan using note_pkey');
    expect(text).not.toContain('Seq Scan');
  });
});
