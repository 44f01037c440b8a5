import { randomBytes } from 'node:crypto';
import type { EmbeddedPostgres } from '@switchboard/embedded-servers';
import {
  Database,
  databaseRightsSql,
  migrate,
  serviceRoles,
  serviceRolesSql,
  type DatabaseOptions,
  type MigrateOptions,
} from '@switchboard/postgres';

/** What a database is made from. */
export interface DatabaseSpec {
  readonly server: EmbeddedPostgres;
  readonly onEnd: (cleanUp: () => Promise<unknown>) => void;
}

/** A service's migrations, oldest first. */
export type Migrations = MigrateOptions['migrations'];

/** What a test may want otherwise than a service has it. */
export type DatabaseOverrides = Partial<Omit<DatabaseOptions, 'schema'>>;

/** A database of its own, set up as in production. */
export interface ServiceDatabase {
  /** As the service's own role. */
  readonly url: string;
  readonly migratorUrl: string;
  readonly superuserUrl: string;
  /** The service's own role, as `migrate` wants it. */
  readonly role: string;
  /** Opens a pool as the service's own role, as one replica has it; closed after the tests. */
  database(overrides?: DatabaseOverrides): Promise<Database>;
  /** Opens a pool as superuser, for what a test must look at or break; closed after the tests. */
  superuser(): Promise<Database>;
}

/** The roles belong to the server and their passwords with them: the same for each of its databases. */
const PASSWORD = 'test';
let databases = 0;

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
  const services = Object.entries(migrations);
  const name = `${services[0]?.[0]}_${++databases}_${randomBytes(3).toString('hex')}`;
  await asSuperuser(server.url, `CREATE DATABASE "${name}"`);
  const superuserUrl = urlOf(server, name, server.user, server.password);
  await asSuperuser(superuserUrl, databaseRightsSql(name));
  const made = new Map<string, ServiceDatabase>();
  for (const [service, own] of services) {
    const roles = serviceRoles(service);
    const url = urlOf(server, name, roles.runtime, PASSWORD);
    const migratorUrl = urlOf(server, name, roles.migrator, PASSWORD);
    const access = { service, database: name, runtimePassword: PASSWORD, migratorPassword: PASSWORD };
    await asSuperuser(superuserUrl, serviceRolesSql(access));
    await migrate({ url: migratorUrl, schema: service, migrations: own, serviceRole: roles.runtime });
    const open = async (overrides: DatabaseOverrides): Promise<Database> => {
      const database = await Database.open({ ...optionsFor(url, service), ...overrides });
      spec.onEnd(() => database.close());
      return database;
    };
    made.set(service, {
      url,
      migratorUrl,
      superuserUrl,
      role: roles.runtime,
      database: (overrides = {}) => open(overrides),
      superuser: () => open({ url: superuserUrl }),
    });
  }
  return made;
}

function urlOf({ host, port }: EmbeddedPostgres, database: string, user: string, password: string): string {
  return `postgres://${user}:${password}@${host}:${port}/${database}`;
}

async function asSuperuser(url: string, sql: string): Promise<void> {
  const database = await Database.open({ ...optionsFor(url, 'public'), poolMax: 1 });
  try {
    await database.dataSource.query(sql);
  } finally {
    await database.close();
  }
}

function optionsFor(url: string, schema: string): DatabaseOptions {
  return { url, schema, applicationName: `${schema}-test`, poolMax: 8, entities: [], onIdleError: () => undefined };
}
