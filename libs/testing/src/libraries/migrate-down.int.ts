import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  migrate,
  migrateDownTo,
  UnknownMigrationError,
  type Database,
  type MigrateOptions,
} from '@switchboard/postgres';
import { testServers, type ServiceDatabase } from '../index.js';

interface Runner {
  query(sql: string): Promise<unknown>;
}

class First1764000000000 {
  readonly name = 'First1764000000000';

  async up(runner: Runner): Promise<void> {
    await runner.query('CREATE TABLE one (id integer)');
  }

  async down(runner: Runner): Promise<void> {
    await runner.query('DROP TABLE one');
  }
}

let fails = false;

/** Its reversal makes a table again that the former release writes to. */
class Second1764000000001 {
  readonly name = 'Second1764000000001';

  async up(runner: Runner): Promise<void> {
    await runner.query('DROP TABLE one; CREATE TABLE two (id integer)');
  }

  async down(runner: Runner): Promise<void> {
    if (fails) throw new Error('an act of a key is kept');
    await runner.query('DROP TABLE two; CREATE TABLE one (id integer)');
  }
}

class Third1764000000002 {
  static readonly tableRights = { three: ['SELECT'] } as const;
  readonly name = 'Third1764000000002';

  async up(runner: Runner): Promise<void> {
    await runner.query('CREATE TABLE three (id integer)');
  }

  async down(runner: Runner): Promise<void> {
    await runner.query('DROP TABLE three; CREATE TABLE before_three (id integer)');
  }
}

const servers = testServers();

describe('migrations that are taken back to a named one', () => {
  let options: MigrateOptions;
  let superuser: Database;
  let prepared: ServiceDatabase;

  beforeEach(async () => {
    const migrations = [First1764000000000, Second1764000000001, Third1764000000002];
    prepared = await servers.serviceDatabase('contacts', migrations);
    superuser = await prepared.superuser();
    options = { url: prepared.migratorUrl, schema: 'contacts', migrations, serviceRole: prepared.role };
  });

  const tables = async (): Promise<Record<string, unknown>[]> =>
    superuser.dataSource.query(
      `SELECT relname AS name, has_table_privilege($1, oid, 'INSERT') AS writes FROM pg_class
       WHERE relnamespace = 'contacts'::regnamespace AND relkind = 'r' AND relname <> 'migration' ORDER BY 1`,
      [options.serviceRole],
    );

  const beforeThree = { name: 'before_three', writes: true };

  it('leave that one and all before it, with the rights of the service on what is there again', async () => {
    expect(await migrateDownTo(options, 'Second1764000000001')).toEqual(['Third1764000000002']);
    expect(await tables()).toEqual([beforeThree, { name: 'two', writes: true }]);
    expect(await migrateDownTo(options, 'First1764000000000')).toEqual(['Second1764000000001']);
    expect(await tables()).toEqual([beforeThree, { name: 'one', writes: true }]);
    expect(await migrateDownTo(options, 'First1764000000000')).toEqual([]);
    expect(await migrate(options)).toEqual(['Second1764000000001', 'Third1764000000002']);
    expect(await tables()).toEqual([beforeThree, { name: 'three', writes: false }, { name: 'two', writes: true }]);
  });

  it('change nothing when the name is unknown, or a later one is of another release', async () => {
    const before = await tables();
    const unknown = migrateDownTo(options, 'Another1764000000009');
    await expect(unknown).rejects.toThrow(
      'there is no migration Another1764000000009 here; there are Third1764000000002, Second1764000000001, First1764000000000',
    );
    const former = { ...options, migrations: options.migrations.slice(0, 2) };
    await expect(migrateDownTo(former, 'First1764000000000')).rejects.toThrow(UnknownMigrationError);
    expect(await tables()).toEqual(before);
  });

  it('leave the service its rights, and say which are taken back, when one fails in the middle', async () => {
    fails = true;
    const reverted: string[] = [];
    const down = migrateDownTo(options, 'First1764000000000', (name) => reverted.push(name));
    await expect(down.finally(() => (fails = false))).rejects.toThrow('an act of a key is kept');
    expect(reverted).toEqual(['Third1764000000002']);
    expect(await tables()).toEqual([beforeThree, { name: 'two', writes: true }]);
  });

  it('change nothing while the service is connected', async () => {
    const before = await tables();
    const service = await prepared.database();
    await service.dataSource.query('SELECT');
    await expect(migrateDownTo(options, 'First1764000000000')).rejects.toThrow(
      'contacts is connected to this database',
    );
    expect(await tables()).toEqual(before);
  });
});
