import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { dumpSchema, migrate, type FormerSchema } from '@switchboard/postgres';
import type { Migrations, ServiceDatabase } from './service-database.js';
import type { TestServers } from './test-servers.js';

/** A service whose migrations began with a baseline, and the schema that it had before. */
export interface AdoptionSpec {
  readonly service: string;
  readonly migrations: Migrations;
  readonly former: FormerSchema;
  /** Path of SQL that makes the former schema, with the rows of its migrations. */
  readonly formerFile: string;
  /** SQL that puts rows into the former schema. */
  readonly rows: string;
  /** A query of these rows in the present schema, as the service's role, and what it finds. */
  readonly read: { readonly sql: string; readonly found: readonly unknown[] };
  /** A table to spoil. */
  readonly table: string;
  readonly servers: TestServers;
}

/** What is promised to databases of the former migrations, as tests: adopted as a whole, or refused in one line. */
export function describeAdoption(spec: AdoptionSpec): void {
  const { service, migrations, former, servers } = spec;

  describe(`a database of ${service} from before the baseline`, () => {
    let prepared: ServiceDatabase;

    beforeEach(async () => {
      prepared = await servers.serviceDatabase(service, []);
      await asOwner(`${await readFile(spec.formerFile, 'utf8')};${spec.rows}`);
    });

    const asOwner = async (sql: string): Promise<Record<string, unknown>[]> => {
      const owner = await prepared.database({ url: prepared.migratorUrl, poolMax: 1 });
      return owner.dataSource.query(sql);
    };
    const run = (): Promise<string[]> =>
      migrate({ url: prepared.migratorUrl, schema: service, migrations, serviceRole: prepared.role, former });
    const dump = async (): Promise<string> => dumpSchema((await prepared.superuser()).dataSource, service);
    const applied = (): Promise<Record<string, unknown>[]> => asOwner('SELECT name FROM migration ORDER BY timestamp');
    const refusal = async (): Promise<string> => {
      const before = [await dump(), await applied()];
      const error = await run().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect([await dump(), await applied()]).toEqual(before);
      return error instanceof Error ? error.message : 'it was taken';
    };

    it('is adopted with its rows, and is an ordinary one from then on', async () => {
      expect(await run()).toEqual(migrations.slice(1).map(({ name }) => name));
      expect(await applied()).toEqual(migrations.map(({ name }) => ({ name })));
      expect(await dump()).toBe(await readFile(new URL('schema.sql', former.schemaFile), 'utf8'));
      const database = await prepared.database();
      expect(await database.dataSource.query(spec.read.sql)).toEqual(spec.read.found);
      expect(await run()).toEqual([]);
    });

    it('has the functions that a new one has, to the letter', async () => {
      await run();
      const fresh = await servers.serviceDatabase(service, migrations);
      const sql =
        'SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = $1::regnamespace ORDER BY 1';
      const functionsOf = async (database: ServiceDatabase): Promise<unknown> =>
        (await database.superuser()).dataSource.query(sql, [service]);
      expect(await functionsOf(prepared)).toEqual(await functionsOf(fresh));
    });

    it('is refused in one line, and left as it was, when its last migration is missing', async () => {
      const last = former.migrations.at(-1);
      await asOwner(`DELETE FROM migration WHERE name = '${last}'`);
      expect(await refusal()).toBe(
        `The schema ${service} cannot be migrated: the migration ${last} was not applied. ` +
          'To begin with an empty one: npm start -- --reset',
      );
    });

    it('is refused in one line, and left as it was, when a column was added by hand', async () => {
      await asOwner(`ALTER TABLE ${spec.table} ADD COLUMN by_hand text`);
      expect(await refusal()).toBe(
        `The schema ${service} cannot be migrated: it has "${spec.table}.by_hand text", which the baseline does not have. ` +
          'To begin with an empty one: npm start -- --reset',
      );
    });

    it('is refused in one line, and left as it was, when a table is missing or no migration is recorded', async () => {
      await asOwner(`ALTER TABLE relay_state RENAME TO relay_state_of_mine`);
      expect(await refusal()).toMatch(/^The schema \w+ cannot be migrated: .*relay_state.* npm start -- --reset$/);
      await asOwner('DELETE FROM migration');
      expect(await refusal()).toMatch(/^The schema \w+ cannot be migrated: there is a table .* npm start -- --reset$/);
    });
  });
}
