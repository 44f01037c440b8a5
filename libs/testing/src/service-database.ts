import { createHash, randomBytes } from 'node:crypto';
import {
  Database,
  databaseRightsSql,
  migrate,
  serviceRoles,
  serviceRolesSql,
  type DatabaseOptions,
  type MigrateOptions,
} from '@switchboard/postgres';
import type { PostgresAccess } from './worker-postgres.js';

/** What a database is made from. */
export interface DatabaseSpec {
  readonly server: PostgresAccess;
  /** Other files use the server too: what was migrated once is cloned, and dropped after the file. */
  readonly isShared: boolean;
  readonly onEnd: (cleanUp: () => Promise<unknown>) => void;
}

/** A service's migrations, oldest first. */
export type Migrations = MigrateOptions['migrations'];

/** What a test may want otherwise than a service has it. */
export type DatabaseOverrides = Partial<Omit<DatabaseOptions, 'schema'>>;

/**
 * For tests in which one waits for what another holds, a connection too: no time of a service ends the wait, or the transaction that is
 * waited for, before the test has seen it, on a machine that is busy with other work too.
 */
export const patience = {
  connectWithinMs: 120_000,
  statementWithinMs: 120_000,
  lockWithinMs: 120_000,
  idleInTransactionMs: 0,
} as const satisfies DatabaseOverrides;

/** A database of its own, set up as in production. */
export interface ServiceDatabase {
  readonly name: string;
  /** As the service's own role. */
  readonly url: string;
  readonly migratorUrl: string;
  readonly superuserUrl: string;
  /** The service's own role, in the form that `migrate` takes. */
  readonly role: string;
  /** Opens a pool as the service's own role, as one replica has it; closed after the tests. */
  database(overrides?: DatabaseOverrides): Promise<Database>;
  /** Opens a pool as superuser, for what a test must look at or break; closed after the tests. */
  superuser(): Promise<Database>;
}

/** The roles belong to the server and their passwords with them: the same for each of its databases. */
const PASSWORD = 'test';
/** Tens of thousands of rows for a test, or a new database, on a machine whose disk is busy with other work. */
const FIXTURE_WITHIN_MS = 300_000;
let databases = 0;
/** Templates that this file found or made, by name. */
const templates = new Map<string, Promise<void>>();
let session: Promise<Database> | undefined;

/**
 * Makes a database, then for each service its roles and its schema, and applies its migrations as their own role: all as
 * in production.
 *
 * @param migrations by service
 */
export async function createDatabase(
  spec: DatabaseSpec,
  migrations: Readonly<Record<string, Migrations>>,
): Promise<ReadonlyMap<string, ServiceDatabase>> {
  const { server } = spec;
  const services = Object.keys(migrations);
  const name = `${services[0]}_${++databases}_${randomBytes(3).toString('hex')}`;
  if (spec.isShared) {
    const session = await sessionOf(spec);
    const template = await templateOf(server, migrations);
    // By files: the default writes each page of the template to the WAL.
    await session.dataSource.query(`CREATE DATABASE "${name}" TEMPLATE "${template}" STRATEGY file_copy`);
    spec.onEnd(async () => (await sessionOf(spec)).dataSource.query(`DROP DATABASE "${name}" WITH (FORCE)`));
    // Rights on a database are no part of its template; its roles and all else are there.
    const roles = services.flatMap((service) => Object.values(serviceRoles(service)).map((role) => `"${role}"`));
    await session.dataSource.query(`REVOKE ALL ON DATABASE "${name}" FROM PUBLIC;
      GRANT CONNECT ON DATABASE "${name}" TO ${roles.join(', ')}`);
  } else {
    await asSuperuser(server.url, `CREATE DATABASE "${name}"`);
    await giveRights(server, name, services);
    await applyMigrations(server, name, migrations);
  }
  return new Map(services.map((service) => [service, describeDatabase(spec, name, service)]));
}

/** The file's session as superuser: a connection costs more than what is asked for here. It ends after the databases. */
function sessionOf({ server, onEnd }: DatabaseSpec): Promise<Database> {
  if (session) return session;
  onEnd(async () => {
    const ending = session;
    session = undefined;
    await (await ending)?.close();
  });
  session = Database.open(superuserOptions(server.url));
  return session;
}

/** A migrated database that nothing connects to, made when it is first needed; one for each list of migrations. */
async function templateOf(server: PostgresAccess, migrations: Readonly<Record<string, Migrations>>): Promise<string> {
  const content = Object.entries(migrations).map(([service, own]) => [service, ...own.map(String)]);
  const name = `template_${createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32)}`;
  const made = templates.get(name) ?? ensureTemplate(server, name, migrations);
  templates.set(name, made);
  await made;
  return name;
}

async function ensureTemplate(
  server: PostgresAccess,
  name: string,
  migrations: Readonly<Record<string, Migrations>>,
): Promise<void> {
  const sql = `SELECT EXISTS (SELECT FROM pg_database WHERE datname = '${name}') AS "exists"`;
  const [row] = await asSuperuser<{ exists: boolean }>(server.url, sql);
  if (row?.exists === true) return;
  const draft = `draft_${randomBytes(6).toString('hex')}`;
  await asSuperuser(server.url, `CREATE DATABASE "${draft}" STRATEGY file_copy`);
  await giveRights(server, draft, Object.keys(migrations));
  await applyMigrations(server, draft, migrations);
  // Under its name once it is complete: a file whose migrations failed leaves none. The superuser's password is of before the
  // server had its settings: the next connections pay for as few iterations as those of other roles.
  await asSuperuser(
    server.url,
    `ALTER DATABASE "${draft}" RENAME TO "${name}"; ALTER ROLE "${server.user}" PASSWORD '${server.password}'`,
  );
}

async function giveRights(server: PostgresAccess, name: string, services: readonly string[]): Promise<void> {
  const access = { database: name, runtimePassword: PASSWORD, migratorPassword: PASSWORD };
  const statements = services.map((service) => serviceRolesSql({ ...access, service }));
  await asSuperuser(superuserUrlOf(server, name), [databaseRightsSql(name), ...statements].join('\n'));
}

async function applyMigrations(
  server: PostgresAccess,
  name: string,
  migrations: Readonly<Record<string, Migrations>>,
): Promise<void> {
  for (const [service, own] of Object.entries(migrations)) {
    const { runtime, migrator } = serviceRoles(service);
    const url = urlOf(server, name, migrator, PASSWORD);
    await migrate({ url, schema: service, migrations: own, serviceRole: runtime });
  }
}

function describeDatabase({ server, onEnd }: DatabaseSpec, name: string, service: string): ServiceDatabase {
  const roles = serviceRoles(service);
  const url = urlOf(server, name, roles.runtime, PASSWORD);
  const superuserUrl = superuserUrlOf(server, name);
  const open = async (overrides: DatabaseOverrides): Promise<Database> => {
    const database = await Database.open({ ...optionsFor(url, service), ...overrides });
    onEnd(() => database.close());
    return database;
  };
  return {
    name,
    url,
    migratorUrl: urlOf(server, name, roles.migrator, PASSWORD),
    superuserUrl,
    role: roles.runtime,
    // Whoever asks for one connection looks at what it has prepared, however long the rest of the test takes.
    database: (overrides = {}) => open({ ...(overrides.poolMax === 1 && { idleMs: 0 }), ...overrides }),
    superuser: () => open({ url: superuserUrl, ...patience, statementWithinMs: FIXTURE_WITHIN_MS }),
  };
}

function superuserUrlOf(server: PostgresAccess, name: string): string {
  return urlOf(server, name, server.user, server.password);
}

function urlOf({ host, port }: PostgresAccess, database: string, user: string, password: string): string {
  return `postgres://${user}:${password}@${host}:${port}/${database}`;
}

async function asSuperuser<Row>(url: string, sql: string): Promise<Row[]> {
  const database = await Database.open(superuserOptions(url));
  try {
    return await database.dataSource.query<Row[]>(sql);
  } finally {
    await database.close();
  }
}

function superuserOptions(url: string): DatabaseOptions {
  return { ...optionsFor(url, 'public'), poolMax: 1, statementWithinMs: FIXTURE_WITHIN_MS };
}

function optionsFor(url: string, schema: string): DatabaseOptions {
  return {
    url,
    schema,
    applicationName: `${schema}-test`,
    poolMax: 8,
    // On a machine that is busy with other work a new connection may take longer than a service would wait.
    connectWithinMs: 20_000,
    entities: [],
    onIdleError: () => undefined,
  };
}
