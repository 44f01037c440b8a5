import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  forgetSmallSizes,
  SmallTablesMigration,
  statement,
  type Database,
  type StatementRunner,
} from '@switchboard/postgres';
import { eventually, nodesOf, planOf, preparedStatements, testServers } from '../index.js';

const servers = testServers();

/** Two queues: rows come and go. */
class Queues1764000000000 extends SmallTablesMigration {
  readonly name = 'Queues1764000000000';

  override async up(runner: StatementRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE queue (organization_id text NOT NULL, id integer NOT NULL, position integer, PRIMARY KEY (organization_id, id));
      CREATE INDEX queue_line ON queue (organization_id, position);
      CREATE TABLE other (id integer PRIMARY KEY);
      CREATE TABLE gone (organization_id text);
    `);
    // They are measured when a test says so: autovacuum would do it at any moment.
    for (const name of ['queue', 'other', 'gone'])
      await runner.query(`ALTER TABLE ${name} SET (autovacuum_enabled = false)`);
    await super.up(runner);
  }
}

const drop = statement(
  't.queue.drop',
  `DELETE FROM queue q USING unnest($1::text[], $2::int[]) AS done (organization_id, id)
   WHERE q.organization_id = done.organization_id AND q.id = done.id`,
);

describe('sizes of small tables', () => {
  let database: Database;
  let superuser: Database;
  let ask: (sql: string) => Promise<Record<string, unknown>[]>;
  let sizes: () => Promise<unknown>;

  beforeAll(async () => {
    const prepared = await servers.serviceDatabase('contacts', [Queues1764000000000]);
    database = await prepared.database({ poolMax: 1 });
    superuser = await prepared.superuser();
    ask = (sql) => superuser.dataSource.query(sql);
    sizes = () =>
      ask(`SELECT relname AS name, reltuples AS rows FROM pg_class WHERE relname IN ('queue', 'other') ORDER BY 1`);
  });

  const conditions = async (): Promise<unknown> => {
    const [prepared] = (await preparedStatements(database)).filter(({ name }) => name === 't.queue.drop');
    if (!prepared) throw new Error('the statement is not prepared');
    const nodes = nodesOf(await planOf(database, prepared));
    return nodes.filter((node) => node['Relation Name'] === 'queue').map((node) => node['Index Cond']);
  };
  const KEY = '((organization_id = done.organization_id) AND (id = done.id))';

  it('are forgotten, so that a plan made for an empty table is made anew before the table fills', async () => {
    await ask('VACUUM ANALYZE contacts.queue, contacts.other');
    await database.query(drop, [['a'], [1]]);
    expect(await conditions()).toEqual([undefined, undefined]);
    await forgetSmallSizes(database);
    expect(await sizes()).toEqual([
      { name: 'other', rows: -1 },
      { name: 'queue', rows: -1 },
    ]);
    expect(await conditions()).toEqual([undefined, KEY]);
    expect(
      await ask(
        `SELECT n_distinct AS organizations FROM pg_stats WHERE tablename = 'queue' AND attname = 'organization_id'`,
      ),
    ).toEqual([{ organizations: 4 }]);
  });

  it('are kept of tables that are not small', async () => {
    await ask(`INSERT INTO contacts.queue SELECT 'a', id FROM generate_series(1, 20000) AS id`);
    await ask('VACUUM ANALYZE contacts.queue');
    await forgetSmallSizes(database);
    expect(await sizes()).toEqual([
      { name: 'other', rows: -1 },
      { name: 'queue', rows: 20_000 },
    ]);
    await ask('TRUNCATE contacts.queue');
  });

  it('are forgotten of a table that was emptied: its pages tell more of what will fill it again than its rows', async () => {
    await ask(`INSERT INTO contacts.queue SELECT 'a', id, id FROM generate_series(1, 20000) AS id`);
    // The last row keeps the pages.
    await ask('DELETE FROM contacts.queue WHERE id < 20000');
    await ask('VACUUM ANALYZE contacts.queue');
    expect(await sizes()).toContainEqual({ name: 'queue', rows: 1 });
    await database.query(drop, [['a'], [1]]);
    expect(await conditions()).not.toContain(KEY);
    await forgetSmallSizes(database);
    expect(await sizes()).toContainEqual({ name: 'queue', rows: -1 });
    expect(await conditions()).toEqual([undefined, KEY]);
    // What one row says of the columns is forgotten with it.
    expect(await ask(`SELECT attname AS column FROM pg_stats WHERE tablename = 'queue'`)).toEqual([
      { column: 'organization_id' },
    ]);
    await ask('TRUNCATE contacts.queue');
  });

  it('have nothing to say of a table that is dropped at that moment', async () => {
    await ask('VACUUM ANALYZE contacts.gone');
    await ask("ALTER FUNCTION contacts.forget_small_sizes() SET lock_timeout = '30s'");
    const dropping = superuser.dataSource.createQueryRunner();
    await dropping.startTransaction();
    const [{ oid }] = await dropping.query("SELECT 'contacts.gone'::regclass::oid");
    await dropping.query('DROP TABLE contacts.gone');
    const forgotten = forgetSmallSizes(database);
    await eventually(async () => {
      return (await ask(`SELECT FROM pg_locks WHERE NOT granted AND relation = ${oid}`)).length > 0;
    });
    await dropping.commitTransaction();
    await dropping.release();
    await forgotten;
    await ask("ALTER FUNCTION contacts.forget_small_sizes() SET lock_timeout = '100ms'");
  });

  it("stay of a table that is not the service's own", async () => {
    await ask('CREATE TABLE contacts.foreign_one (organization_id text)');
    await ask('VACUUM ANALYZE contacts.foreign_one, contacts.other');
    await forgetSmallSizes(database);
    expect(await sizes()).toContainEqual({ name: 'other', rows: -1 });
    await ask('DROP TABLE contacts.foreign_one');
  });

  it('of a table that VACUUM has stay until a later call; the others do not wait for it', async () => {
    await ask('VACUUM ANALYZE contacts.queue, contacts.other');
    await database.transaction(async (tx) => {
      await tx.query(statement('t.queue.lock', 'LOCK TABLE other IN SHARE UPDATE EXCLUSIVE MODE'), []);
      await ask(`SET search_path = contacts`);
      await ask('SELECT contacts.forget_small_sizes()');
    });
    expect(await sizes()).toEqual([
      { name: 'other', rows: 0 },
      { name: 'queue', rows: -1 },
    ]);
    await forgetSmallSizes(database);
    expect(await sizes()).toEqual([
      { name: 'other', rows: -1 },
      { name: 'queue', rows: -1 },
    ]);
  });
});
