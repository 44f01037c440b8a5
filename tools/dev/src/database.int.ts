import { describe, expect, it } from '@jest/globals';
import { messagingMigrations } from '@switchboard/messaging/migrations';
import { Database, migrate, serviceRoles, statement } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { Client } from 'pg';
import { createServiceAccess, dropServiceAccess, type DatabaseAccess } from './database.js';
import { Secrets } from './secrets.js';

const servers = testServers({ ownPostgres: true });
const secrets = await Secrets.open('/dev/null');
const count = statement<{ count: number }>('test.count', 'SELECT count(*)::int AS count FROM message');

describe("a database of the user's own", () => {
  it('is isolated by a user who may make roles, however often, stays open to whom it was, and is left as it was found', async () => {
    const url = await databaseOf('maker', 'CREATEROLE');
    await query(await asSuperuser(), 'CREATE ROLE application LOGIN');
    for (const _start of [1, 2]) {
      const access = await createServiceAccess(url, ['messaging'], secrets);
      expect(access.isIsolated).toBe(true);
      expect(new URL(await run(access)).username).toBe(serviceRoles('messaging').runtime);
    }
    const [open] = await query(url, `SELECT has_database_privilege('application', 'maker', 'CONNECT') AS connect`);
    expect(open).toEqual({ connect: true });
    await dropServiceAccess(url, ['messaging']);
    expect(await query(url, "SELECT rolname FROM pg_roles WHERE rolname LIKE 'switchboard%'")).toEqual([]);
    expect(await query(url, "SELECT nspname FROM pg_namespace WHERE nspname = 'messaging'")).toEqual([]);
  });

  it('is reset although another database of the server has the same roles, which stay for that one', async () => {
    const urls = [await databaseOf('one', 'SUPERUSER'), await databaseOf('two', 'SUPERUSER')] as const;
    for (const url of urls) await run(await createServiceAccess(url, ['messaging'], secrets));
    await dropServiceAccess(urls[0], ['messaging']);
    expect(await query(urls[0], "SELECT nspname FROM pg_namespace WHERE nspname = 'messaging'")).toEqual([]);
    await run(await createServiceAccess(urls[0], ['messaging'], secrets));
    await run(await createServiceAccess(urls[1], ['messaging'], secrets));
  });

  it('serves every service as its one user when that one may not make roles, however often', async () => {
    const url = await databaseOf('plain', 'NOCREATEROLE');
    for (const _start of [1, 2]) {
      const access = await createServiceAccess(url, ['messaging'], secrets);
      expect(access.isIsolated).toBe(false);
      expect(new URL(await run(access)).username).toBe('plain');
    }
  });
});

/** What a start does: the migrations, then work as the service's role. @returns the service's URL */
async function run({ services }: DatabaseAccess): Promise<string> {
  const own = services.get('messaging');
  if (!own) throw new Error('messaging has no access');
  const migrations = { schema: 'messaging', migrations: messagingMigrations, serviceRole: own.runtimeRole };
  await migrate({ url: own.migratorUrl, ...migrations });
  const options = { url: own.runtimeUrl, schema: 'messaging', applicationName: 'test', poolMax: 1, entities: [] };
  const database = await Database.open({ ...options, onIdleError: () => undefined });
  expect(await database.query(count, [])).toEqual([{ count: 0 }]);
  await database.dataSource.query('SELECT keep_message_partitions(), keep_outbox_partitions(8)');
  await database.close();
  return own.runtimeUrl;
}

/** A database that a user owns who is no superuser. @returns its URL as that user */
async function databaseOf(user: string, attribute: string): Promise<string> {
  const superuserUrl = await asSuperuser();
  await query(superuserUrl, `CREATE ROLE ${user} LOGIN PASSWORD 'test' ${attribute}`);
  await query(superuserUrl, `CREATE DATABASE ${user} OWNER ${user}`);
  const url = new URL(superuserUrl);
  url.username = user;
  url.password = 'test';
  url.pathname = `/${user}`;
  return url.href;
}

async function asSuperuser(): Promise<string> {
  return (await servers.postgres()).url;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
