import { databaseRightsSql, identifier, serviceRoles, serviceRolesSql } from '@switchboard/postgres/service-roles';
import pg from 'pg';
import type { Secrets } from './secrets.js';

/** Where each service finds its tables, by service. */
export interface DatabaseAccess {
  /** The database of everything, as the administrator. */
  readonly adminUrl: string;
  /** Whether every service has a role of its own that reaches nothing but its schema. */
  readonly isIsolated: boolean;
  readonly services: ReadonlyMap<string, { runtimeUrl: string; migratorUrl: string; runtimeRole: string }>;
}

/** SQLSTATE of a right that is lacking. */
const insufficientPrivilege = '42501';
/** SQLSTATE of a role that owns something, or has rights, in another database of the server. */
const dependentObjects = '2BP01';

/**
 * Makes the embedded server's database `switchboard`, unless it is there, and closes it to everybody who gets no right
 * of his own. A database of the user's stays open to those it was open to.
 *
 * @param serverUrl as superuser, on any database.
 * @returns the URL of the new database.
 */
export async function createDatabase(serverUrl: string): Promise<string> {
  await withClient(serverUrl, async (client) => {
    const found = await client.query("select 1 from pg_database where datname = 'switchboard'");
    if (found.rowCount === 0) await client.query('create database switchboard');
  });
  const url = new URL(serverUrl);
  url.pathname = '/switchboard';
  await withClient(url.href, (client) => client.query(databaseRightsSql('switchboard')));
  return url.href;
}

/**
 * Gives every service its schema and two roles: `switchboard_<service>_migrator` owns the schema, `switchboard_<service>`
 * runs (its rights are granted by the migrations). Repeatable; passwords are set anew each time.
 *
 * A user who may not create roles (a database of one's own) gets the schemas alone, and everything runs as that user.
 */
export async function createServiceAccess(
  adminUrl: string,
  names: readonly string[],
  secrets: Secrets,
): Promise<DatabaseAccess> {
  return withClient(adminUrl, async (client) => {
    const isIsolated = await attempt(client, async () => {
      for (const name of names) await createIsolated(client, name, secrets);
    });
    const services = new Map<string, { runtimeUrl: string; migratorUrl: string; runtimeRole: string }>();
    for (const name of names) {
      const { runtime, migrator } = serviceRoles(name);
      if (!isIsolated) await createSchemaOnly(client, name);
      services.set(name, {
        runtimeUrl: isIsolated ? withUser(adminUrl, runtime, secrets) : adminUrl,
        migratorUrl: isIsolated ? withUser(adminUrl, migrator, secrets) : adminUrl,
        runtimeRole: isIsolated ? runtime : decodeURIComponent(new URL(adminUrl).username),
      });
    }
    return { adminUrl, isIsolated, services };
  });
}

/**
 * Drops what `createServiceAccess` made, and nothing else: for `--reset` on a database of the user's. Roles that another
 * database of the server uses stay.
 */
export async function dropServiceAccess(adminUrl: string, names: readonly string[]): Promise<void> {
  await withClient(adminUrl, async (client) => {
    for (const name of names) {
      await client.query(`drop schema if exists ${identifier(name)} cascade`);
      for (const role of Object.values(serviceRoles(name))) {
        const found = await client.query('select 1 from pg_roles where rolname = $1', [role]);
        if (found.rowCount === 0) continue;
        await attempt(client, async () => {
          await client.query(`drop owned by ${identifier(role)}`);
          await client.query(`drop role ${identifier(role)}`);
        });
      }
    }
  });
}

async function createIsolated(client: pg.Client, name: string, secrets: Secrets): Promise<void> {
  const { runtime, migrator } = serviceRoles(name);
  const passwords = { runtimePassword: secrets.password(runtime), migratorPassword: secrets.password(migrator) };
  await client.query(serviceRolesSql({ service: name, database: client.database ?? '', ...passwords }));
}

async function createSchemaOnly(client: pg.Client, name: string): Promise<void> {
  await client.query(`create schema if not exists ${identifier(name)}`);
}

/** Runs statements in a transaction; false, and nothing done, when the user may not run one, or a role is used elsewhere. */
async function attempt(client: pg.Client, work: () => Promise<void>): Promise<boolean> {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
    return true;
  } catch (error) {
    await client.query('rollback');
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    if (code === insufficientPrivilege || code === dependentObjects) return false;
    throw error;
  }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
  } catch (cause) {
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
    throw new Error(`The database at ${new URL(url).host} cannot be reached: ${reason}`, { cause });
  }
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function withUser(adminUrl: string, role: string, secrets: Secrets): string {
  const url = new URL(adminUrl);
  url.username = role;
  url.password = secrets.password(role);
  return url.href;
}
