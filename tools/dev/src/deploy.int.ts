import { describe, expect, it } from '@jest/globals';
import { serviceNames as names } from '@switchboard/contracts/topology';
import { connectNats, type NatsConnection, natsUsers, provision } from '@switchboard/nats';
import { serviceRoles } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { environmentOf, readCompose, variablesOf } from '../test/compose-file.js';
import { startDeployedNats } from '../test/deployed-nats.js';
import { createServiceAccess } from './database.js';
import { natsProvisioner } from './nats-access.js';
import { Secrets } from './secrets.js';

const root = resolve(import.meta.dirname, '..', '..', '..');
const textOf = (path: string): Promise<string> => readFile(join(root, path), 'utf8');
const compose = readCompose(await textOf('docker-compose.yml'));
// Digits alone: what the NATS server would take for a number without the quotes.
const dotEnv = Object.fromEntries([...variablesOf(compose).keys()].map((key, index) => [key, `${90_210 + index}`]));
const environment = (name: string): Record<string, string> => {
  const service = compose.services[name];
  return service === undefined ? {} : environmentOf(service, dotEnv);
};

const servers = testServers({ ownPostgres: true });

describe('deploy/nats/nats.conf', () => {
  it('lets in every service with its password of docker-compose.yml, answers the health check, refuses every other user, and keeps none that stands still for over 20 s', async () => {
    const { url: address, monitor } = await startDeployedNats(environment('nats'), servers.onEnd);
    const connect = async (user: string, password: string): Promise<NatsConnection> => {
      const connection = await connectNats({ url: address, user, password, onStatus: () => undefined });
      servers.onEnd(() => connection.close());
      return connection;
    };
    const answer = await fetch(`${monitor}/healthz`);
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);

    const passwordOf = (name: string): string => environment(name)['NATS_PASSWORD'] ?? '';
    await provision(await connect(natsProvisioner, passwordOf('provision')), 1);
    for (const name of names) expect((await connect(name, passwordOf(name))).getServer()).toBe(new URL(address).host);
    for (const { user } of natsUsers()) await expect(connect(user, 'another')).rejects.toThrow(/authorization/i);
    // In nanoseconds. A client is closed when a ping is due and so many are unanswered; one ping may fall out after traffic.
    const variables = (await (await fetch(`${monitor}/varz`)).json()) as { ping_interval: number; ping_max: number };
    expect((variables.ping_interval / 1e9) * (variables.ping_max + 2)).toBe(20);
  });
});

describe('deploy/postgres/roles.sql', () => {
  it('gives each service the roles and the schema that the local run gives it, and may be run again', async () => {
    const { host, port, user, password } = await servers.postgres();
    const urlOf = (role: string, secret: string, database: string): string =>
      `postgres://${role}:${secret}@${host}:${port}/${database}`;
    const adminOf = (database: string): string => urlOf(user, password, database);
    await query(adminOf('postgres'), 'create database switchboard');
    await query(adminOf('postgres'), 'create database local_run');

    const script = asPsqlSendsIt(await textOf('deploy/postgres/roles.sql'), environment('database'));
    await query(adminOf('switchboard'), script);
    await query(adminOf('switchboard'), script);
    for (const name of names) {
      const { runtime } = serviceRoles(name);
      const { password: secret } = new URL(environment(name)['DATABASE_URL'] ?? '');
      expect(await query(urlOf(runtime, secret, 'switchboard'), 'select current_user')).toEqual([
        { current_user: runtime },
      ]);
      const migrator = new URL(environment(`migrate-${name}`)['MIGRATOR_DATABASE_URL'] ?? '');
      expect(await query(urlOf(migrator.username, migrator.password, 'switchboard'), ownSchema)).toEqual([
        { nspname: name, mayCreate: true },
      ]);
    }
    expect(await query(adminOf('switchboard'), everybody)).toEqual([
      { connect: false, temporary: false, public: false },
    ]);
    const made = await query(adminOf('switchboard'), roles);
    await createServiceAccess(adminOf('local_run'), names, await Secrets.open('/dev/null'));
    expect(made).toHaveLength(2 * names.length);
    expect(made).toEqual(await query(adminOf('local_run'), roles));
  });
});

const ownSchema = `
  select nspname, has_schema_privilege(nspname, 'create') as "mayCreate"
  from pg_namespace where nspowner = current_user::regrole`;

/** What a user without any grant may do. */
const everybody = `
  select has_database_privilege('public', current_database(), 'connect') as connect,
    has_database_privilege('public', current_database(), 'temporary') as temporary,
    has_schema_privilege('public', 'public', 'usage') as public`;

/** Every role of ours with what it may and what it owns in this database. */
const roles = `
  select r.rolname, r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolcanlogin, r.rolinherit, r.rolreplication,
    (select array_agg(n.nspname::text) from pg_namespace n where n.nspowner = r.oid) as schemas,
    has_database_privilege(r.oid, current_database(), 'create') as "mayCreate",
    (select array_agg(m.roleid::regrole::text) from pg_auth_members m where m.member = r.oid) as "memberOf"
  from pg_roles r where r.rolname like 'switchboard%' order by r.rolname`;

/** What psql makes of the script: `\getenv` sets a variable from the environment, `:'variable'` is it in quotes. */
function asPsqlSendsIt(script: string, variables: Readonly<Record<string, string>>): string {
  const values = new Map<string, string>();
  const sql = script.replace(/^\\getenv (\S+) (\S+)$/gm, (_line, variable: string, key: string) => {
    const value = variables[key];
    if (value !== undefined) values.set(variable, value);
    return '';
  });
  return sql.replace(/:'(\w+)'/g, (whole, variable: string) => {
    const value = values.get(variable);
    return value === undefined ? whole : `'${value.replaceAll("'", "''")}'`;
  });
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
