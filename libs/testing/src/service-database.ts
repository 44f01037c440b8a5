import { randomBytes } from 'node:crypto';
import type { EmbeddedPostgres } from '@switchboard/embedded-servers';
import {
  Database,
  migrate,
  serviceRoles,
  serviceRolesSql,
  type DatabaseOptions,
  type MigrateOptions,
} from '@switchboard/postgres';

/** What a database of a service is made from. */
export interface ServiceDatabaseSpec {
  readonly server: EmbeddedPostgres;
  readonly service: string;
  readonly migrations: MigrateOptions['migrations'];
  readonly onEnd: (cleanUp: () => Promise<unknown>) => void;
}

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

/** Makes the roles, the database and the schema, and applies the migrations as their own role. */
export async function createServiceDatabase(spec: ServiceDatabaseSpec): Promise<ServiceDatabase> {
  const { server, service } = spec;
  const name = `${service}_${++databases}_${randomBytes(3).toString('hex')}`;
  await asSuperuser(server.url, `CREATE DATABASE "${name}"`);
  const roles = serviceRoles(service);
  const urlOf = (user: string, password: string): string =>
    `postgres://${user}:${password}@${server.host}:${server.port}/${name}`;
  const url = urlOf(roles.runtime, PASSWORD);
  const migratorUrl = urlOf(roles.migrator, PASSWORD);
  const superuserUrl = urlOf(server.user, server.password);
  const access = { service, database: name, runtimePassword: PASSWORD, migratorPassword: PASSWORD };
  await asSuperuser(superuserUrl, serviceRolesSql(access));
  await migrate({ url: migratorUrl, schema: service, migrations: spec.migrations, serviceRole: roles.runtime });

  const open = async (overrides: DatabaseOverrides): Promise<Database> => {
    const database = await Database.open({ ...optionsFor(url, service), ...overrides });
    spec.onEnd(() => database.close());
    return database;
  };
  return {
    url,
    migratorUrl,
    superuserUrl,
    role: roles.runtime,
    database: (overrides = {}) => open(overrides),
    superuser: () => open({ url: superuserUrl }),
  };
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
