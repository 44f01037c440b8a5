import { setTimeout as wait } from 'node:timers/promises';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { adoptFormerSchema, type FormerSchema } from './former-schema.js';
import { plannerHints } from './planner-hints.sql.js';
import { identifier } from './service-roles.sql.js';
import { sessionOptions } from './session-options.js';

/** What the service's role may do with a table, where that is less than reading and changing its rows. */
export type TableRights = Readonly<Record<string, readonly ('SELECT' | 'INSERT' | 'UPDATE' | 'DELETE')[]>>;

/** A migration; one that makes a table with lesser rights says so, by the table's name. The last one to name it counts. */
export interface MigrationClass {
  new (): MigrationInterface;
  readonly tableRights?: TableRights;
}

/** One run of a service's migrations, as the owner of its schema. */
export interface MigrateOptions {
  /** URL of the migrations' own role, which owns the schema; the service's role has no DDL. */
  readonly url: string;
  readonly schema: string;
  readonly migrations: readonly MigrationClass[];
  /** The service's role, which gets DML on what the migrations made. */
  readonly serviceRole: string;
  /** The schema of before the first of `migrations`: it is adopted. */
  readonly former?: FormerSchema;
}

/**
 * Adopts a former schema, applies pending migrations, one transaction each, grants the service's role its rights, and
 * analyses new tables for the planner.
 *
 * Migrations name tables without their schema: the search path is the schema, then `pg_temp`, and functions take it over
 * with `SET search_path FROM CURRENT`.
 *
 * Runs in a step of its own, never at a service's start. `lock_timeout` is 3 s: a migration that cannot have its lock
 * gives up instead of stopping the traffic behind it. Two runs at once wait for each other.
 *
 * @returns the names of the migrations applied now
 * @throws UnknownSchemaError when the schema has tables, and neither the first migration nor the complete list of the former ones
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  return withLock(options, async (dataSource, runner) => {
    const [baseline] = options.migrations;
    if (baseline) await adoptFormerSchema(runner, options.schema, options.former, baseline.name);
    const applied = await dataSource.runMigrations();
    await grant(dataSource, options);
    await dataSource.query(`DO $$ BEGIN ${plannerHints} END $$`);
    return applied.map(({ name }) => name);
  });
}

/** Takes every applied migration back, the last one first; the schema and the table of migrations remain. */
export async function revertMigrations(options: Omit<MigrateOptions, 'serviceRole'>): Promise<void> {
  await withLock(options, async (dataSource) => {
    for (const _migration of options.migrations) await dataSource.undoLastMigration();
  });
}

/**
 * Takes back, the last one first, every migration that was applied after the one that is named, which stays; a transaction each. The
 * service's role has its rights on what is left as after `migrate`, also when one of them fails.
 *
 * @param last the name of a migration that is applied
 * @param onReverted called with the name of each that is taken back
 * @returns the names of the migrations taken back
 * @throws UnknownMigrationError when no such migration is applied here; ServiceConnectedError; nothing is changed then
 */
export async function migrateDownTo(
  options: MigrateOptions,
  last: string,
  onReverted: (name: string) => void = () => undefined,
): Promise<string[]> {
  return withLock(options, async (dataSource, runner) => {
    const rows: { name: string }[] = await runner.query('SELECT name FROM migration ORDER BY id DESC');
    const names = rows.map(({ name }) => name);
    const known = options.migrations.map(({ name }) => name);
    const count = names.indexOf(last);
    if (count < 0) throw new UnknownMigrationError(last, names);
    const later = names.slice(0, count);
    const foreign = later.find((name) => !known.includes(name));
    if (foreign !== undefined) throw new UnknownMigrationError(foreign, known);
    const [{ count: sessions }] = await runner.query(SESSIONS, [options.schema, options.serviceRole]);
    if (sessions > 0) throw new ServiceConnectedError(options.schema);
    const applied = new Set(names);
    try {
      for (const name of later) {
        await dataSource.undoLastMigration();
        applied.delete(name);
        onReverted(name);
      }
    } finally {
      await grant(dataSource, { ...options, migrations: options.migrations.filter(({ name }) => applied.has(name)) });
    }
    return later;
  });
}

/** There is no such migration; the message says which there are, the last one first. */
export class UnknownMigrationError extends Error {
  override readonly name = 'UnknownMigrationError';

  constructor(migration: string, there: readonly string[]) {
    super(`there is no migration ${migration} here; there are ${there.join(', ')}`);
  }
}

/** The release that is connected would go on with tables and functions that are gone. */
export class ServiceConnectedError extends Error {
  override readonly name = 'ServiceConnectedError';

  constructor(service: string) {
    super(`${service} is connected to this database: stop it first`);
  }
}

/** Before the lock of another run is asked for again. */
const LOCK_REST_MS = 100;

/** By the application's name, and by a role of the service's own; an owner who runs the service as well is this session. */
const SESSIONS = `
  SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE (application_name = $1 OR usename = $2 AND usename <> current_user) AND datname = current_database()`;

async function withLock<Result>(
  { url, schema, migrations }: Omit<MigrateOptions, 'serviceRole'>,
  work: (dataSource: DataSource, runner: QueryRunner) => Promise<Result>,
): Promise<Result> {
  const session = sessionOptions(url, [`-c search_path=${schema},pg_temp`, '-c lock_timeout=3000']);
  const dataSource = new DataSource({
    type: 'postgres',
    url: session.url,
    schema,
    applicationName: `${schema}-migrations`,
    migrations: [...migrations],
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
    installExtensions: false,
    extra: { max: 2, options: session.options },
  });
  await dataSource.initialize();
  const lock = dataSource.createQueryRunner();
  try {
    while (!(await tryLock(lock, schema))) await wait(LOCK_REST_MS);
    return await work(dataSource, lock);
  } finally {
    await lock.release();
    await dataSource.destroy();
  }
}

/**
 * Asks for the lock, and does not wait for it in a statement: what makes an index concurrently waits for every statement that is older, and
 * the run that makes it has the lock.
 */
async function tryLock(lock: QueryRunner, schema: string): Promise<boolean> {
  const [row]: { isTaken: boolean }[] = await lock.query(
    'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS "isTaken"',
    [`${schema}.migration`],
  );
  return row?.isTaken === true;
}

/**
 * Data only: no DDL, no TRUNCATE, nothing on the table of migrations, on tables with lesser rights those alone, and
 * partitions through their parent alone, so that one made by a migration is no more open than one made later. An owner
 * who runs the service as well has it all already. One query: no right is given for a moment and taken back.
 */
async function grant(dataSource: DataSource, { schema, serviceRole, migrations }: MigrateOptions): Promise<void> {
  const [self]: { name: string }[] = await dataSource.query('SELECT current_user AS name');
  if (self?.name === serviceRole) return;
  const [s, r] = [identifier(schema), identifier(serviceRole)];
  const lesser = Object.entries(Object.assign({}, ...migrations.map(({ tableRights }) => tableRights)) as TableRights);
  await dataSource.query(`
    GRANT USAGE ON SCHEMA ${s} TO ${r};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${s} TO ${r};
    GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${s} TO ${r};
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${s} TO ${r};
    REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${s} FROM PUBLIC;
    REVOKE ALL ON ${s}.migration FROM ${r};
    REVOKE ALL ON SEQUENCE ${s}.migration_id_seq FROM ${r};
    ${lesser.map(([table, rights]) => lesserGrant(`${s}.${identifier(table)}`, rights, r)).join('\n')}
  `);
  const partitions: { name: string }[] = await dataSource.query(
    'SELECT oid::regclass::text AS name FROM pg_class WHERE relispartition AND relkind = $1 AND relnamespace = $2::regnamespace',
    ['r', s],
  );
  if (partitions.length > 0) {
    await dataSource.query(`REVOKE ALL ON ${partitions.map(({ name }) => name).join(', ')} FROM ${r}`);
  }
}

function lesserGrant(table: string, rights: TableRights[string], role: string): string {
  const granted = rights.length === 0 ? '' : `GRANT ${rights.join(', ')} ON ${table} TO ${role};`;
  return `REVOKE ALL ON ${table} FROM ${role}; ${granted}`;
}
