import { describe, expect, it } from '@jest/globals';
import { dumpSchema, migrate, revertMigrations } from '@switchboard/postgres';
import { goldenFile } from './golden-file.js';
import type { Migrations } from './service-database.js';
import type { TestServers } from './test-servers.js';

/** A service's migrations under test. */
export interface MigrationsSpec {
  readonly service: string;
  readonly migrations: Migrations;
  /** Path of the service's golden `schema.sql`. */
  readonly schemaFile: string;
  readonly servers: TestServers;
}

/** Kinds of everything that a schema may hold, but indexes, which go with their tables, and the table of migrations. */
const OBJECTS = `
  SELECT relname AS name FROM pg_class
  WHERE relnamespace = $1::regnamespace AND relkind <> 'i' AND relname NOT LIKE 'migration%'
  UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = $1::regnamespace`;

/** What every service's migrations promise, as tests: the schema that `schema.sql` shows, and a reversal of each. */
export function describeMigrations({ service, migrations, schemaFile, servers }: MigrationsSpec): void {
  describe(`the migrations of ${service}`, () => {
    it('make exactly the schema that schema.sql shows', async () => {
      const prepared = await servers.serviceDatabase(service, migrations);
      const { dataSource } = await prepared.superuser();
      const dump = await dumpSchema(dataSource, service);
      expect(dump).toBe(await goldenFile(schemaFile, dump));
    });

    it('can be taken back and applied again', async () => {
      const prepared = await servers.serviceDatabase(service, migrations);
      const options = { url: prepared.migratorUrl, schema: service, migrations };
      await revertMigrations(options);
      const { dataSource } = await prepared.superuser();
      expect(await dataSource.query(OBJECTS, [service])).toEqual([]);
      expect(await migrate({ ...options, serviceRole: prepared.role })).toHaveLength(migrations.length);
    });

    it('refuse a schema that they did not begin, in one line that says how to begin', async () => {
      const prepared = await servers.serviceDatabase(service, migrations);
      const { dataSource } = await prepared.superuser();
      const options = { url: prepared.migratorUrl, schema: service, migrations, serviceRole: prepared.role };
      await dataSource.query(`UPDATE ${service}.migration SET name = 'Another1700000000000', timestamp = 1700000000000
        WHERE name = '${migrations[0]?.name}'`);
      await expect(migrate(options)).rejects.toThrow(/^The schema \w+ cannot be migrated: [^\n]+ --reset$/);
      await dataSource.query(`DELETE FROM ${service}.migration`);
      await expect(migrate(options)).rejects.toThrow(
        /: there is a table \w+, and no migration was applied\. [^\n]+ --reset$/,
      );
    });
  });
}
