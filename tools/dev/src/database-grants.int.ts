import { beforeAll, describe, expect, it } from '@jest/globals';
import { serviceNames as names } from '@switchboard/contracts/topology';
import { serviceRoles } from '@switchboard/postgres';
import { testServers, type Migrations, type ServiceDatabase } from '@switchboard/testing';
import pg from 'pg';
import { heldPrivileges, promisedTo, type DatabaseObject } from '../test/database-rights.js';
import {
  creatingStatements,
  dataStatements,
  ownerStatements,
  serverStatements,
  type SomeTable,
} from '../test/forbidden-sql.js';

type Row = Record<string, unknown>;
interface OwnedTable extends SomeTable {
  readonly service: string;
  readonly object: DatabaseObject;
}

const servers = testServers({ ownPostgres: true });
const roles = names.flatMap((service) => {
  const { runtime, migrator } = serviceRoles(service);
  return [
    { service, role: runtime, isMigrator: false },
    { service, role: migrator, isMigrator: true },
  ];
});

describe('a role of the database that all services share', () => {
  let databases: ReadonlyMap<string, ServiceDatabase>;
  let superuser: pg.Client;
  let tables: readonly OwnedTable[];
  let sequences: readonly { readonly service: string; readonly name: string }[];
  let functions: readonly { readonly service: string; readonly call: string }[];

  const connect = async (url: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    servers.onEnd(() => client.end());
    return client;
  };
  const connectAs = async (service: string, isMigrator: boolean): Promise<pg.Client> => {
    const prepared = databases.get(service);
    if (!prepared) throw new Error(`no database of ${service}`);
    return connect(isMigrator ? prepared.migratorUrl : prepared.url);
  };

  beforeAll(async () => {
    const migrations = await Promise.all(names.map(async (name) => [name, await migrationsOf(name)] as const));
    databases = await servers.sharedDatabase(Object.fromEntries(migrations));
    superuser = await connect(databases.get(names[0] ?? '')?.superuserUrl ?? '');
    tables = await rowsOf<OwnedTable>(superuser, TABLES, [names]);
    sequences = await rowsOf(superuser, SEQUENCES, [names]);
    functions = await rowsOf(superuser, FUNCTIONS, [names]);
    // Each service has a table of its own, and those of others to be refused.
    expect([...new Set(tables.map(({ service }) => service))].sort()).toEqual([...names].sort());
  });

  it.each(roles)('$role holds exactly the privileges that are promised, on everything there is', async (one) => {
    const objects = await rowsOf<DatabaseObject & { held: string[] | null }>(superuser, heldPrivileges, [one.role]);
    expect(objects.length).toBeGreaterThan(20);
    const shown = (object: DatabaseObject, held: readonly string[]): string =>
      `${object.kind} ${object.schema}.${object.name}: ${held.join(' ')}`;
    expect(objects.map((object) => shown(object, object.held ?? []))).toEqual(
      objects.map((object) => shown(object, promisedTo(one.role, one.service, object))),
    );
  });

  it.each(roles)(
    '$role has no special attribute, is in no other role, and owns $service at most',
    async ({ role, ...one }) => {
      const [attributes] = await rowsOf(superuser, ATTRIBUTES, [role]);
      expect(attributes).toEqual({
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        rolbypassrls: false,
        memberOf: [],
        settings: ['log_min_messages=log'],
        ownedSchemas: one.isMigrator ? [one.service] : [],
        ownsElsewhere: 0,
      });
    },
  );

  it.each(names)(
    'switchboard_%s reads and changes the rows of its tables, and draws from its sequences',
    async (name) => {
      const client = await connectAs(name, false);
      for (const table of tables.filter(({ service }) => service === name)) {
        const promised = promisedTo(serviceRoles(name).runtime, name, table.object);
        for (const [privilege, statement] of Object.entries(dataStatements(table))) {
          if (promised.includes(privilege)) await client.query(statement);
          else await expectRefused(client, [statement]);
        }
      }
      await client.query(`SELECT nextval('${name}.outbox_position')`);
    },
  );

  it.each(roles)('$role is refused every table, sequence and function of every other service', async (one) => {
    const client = await connectAs(one.service, one.isMigrator);
    const foreign = <T extends { service: string }>(all: readonly T[]): T[] =>
      all.filter(({ service }) => service !== one.service);
    expect(foreign(tables).length).toBeGreaterThan(names.length);
    await expectRefused(client, [
      ...foreign(tables).flatMap((table) => [...Object.values(dataStatements(table)), ...ownerStatements(table)]),
      ...foreign(sequences).flatMap(({ name }) => [`SELECT nextval('${name}')`, `SELECT * FROM ${name}`]),
      ...foreign(functions).map(({ call }) => call),
      ...names.filter((name) => name !== one.service).flatMap(creatingStatements),
      ...creatingStatements('public'),
    ]);
  });

  it.each(names)('switchboard_%s is refused all that is not rows of its own tables', async (name) => {
    const client = await connectAs(name, false);
    await expectRefused(client, [
      ...tables.filter(({ service }) => service === name).flatMap(ownerStatements),
      ...sequences.filter(({ service }) => service === name).map((sequence) => `SELECT setval('${sequence.name}', 1)`),
      ...creatingStatements(name),
      `DROP SCHEMA ${name} CASCADE`,
      `ALTER DEFAULT PRIVILEGES FOR ROLE ${serviceRoles(name).migrator} GRANT ALL ON TABLES TO PUBLIC`,
    ]);
  });

  it.each(roles)('$role is refused the server, its files, its log, other roles and other sessions', async (one) => {
    const client = await connectAs(one.service, one.isMigrator);
    const neighbour = names.find((name) => name !== one.service) ?? '';
    const other = await connectAs(neighbour, false);
    const [backend] = await rowsOf<{ pid: number }>(other, 'SELECT pg_backend_pid() AS pid');
    const backendPid = backend?.pid ?? 0;
    const database = client.database ?? '';
    await expectRefused(client, serverStatements({ database, role: serviceRoles(neighbour).runtime, backendPid }));
    const [seen] = await rowsOf(client, 'SELECT query FROM pg_stat_activity WHERE pid = $1', [backendPid]);
    expect(seen).toEqual({ query: '<insufficient privilege>' });
    await superuser.query('ANALYZE');
    const samples = 'SELECT DISTINCT schemaname FROM pg_stats WHERE schemaname = ANY($1)';
    const others = names.filter((name) => name !== one.service);
    expect(await rowsOf(client, samples, [others])).toEqual([]);
  });

  it.each(names)("what the migrations' role of %s makes is closed to everybody until it is granted", async (name) => {
    const migrator = await connectAs(name, true);
    const made = [
      `CREATE TABLE ${name}.fresh (n int)`,
      `CREATE FUNCTION ${name}.fresh() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'`,
    ];
    for (const statement of made) await migrator.query(statement);
    for (const service of names) {
      const client = await connectAs(service, false);
      await expectRefused(client, [`SELECT n FROM ${name}.fresh`, `SELECT ${name}.fresh()`]);
    }
    await migrator.query(`DROP TABLE ${name}.fresh; DROP FUNCTION ${name}.fresh()`);
  });

  it('without any grant cannot even connect', async () => {
    await superuser.query("CREATE ROLE stranger LOGIN PASSWORD 'test'");
    const url = new URL(databases.get(names[0] ?? '')?.url ?? '');
    url.username = 'stranger';
    await expect(connect(url.href)).rejects.toMatchObject({ code: '42501' });
  });
});

/** Of the partitions of a table one: that no other differs, the privileges held on everything there is show. */
const TABLES = `
  SELECT n.nspname AS service, format('%I.%I', n.nspname, c.relname) AS name, quote_ident(a.attname) AS column,
    json_build_object('kind', 'table', 'schema', n.nspname, 'name', c.relname, 'isPartition', c.relispartition) AS object
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = ANY($1)
  JOIN LATERAL (SELECT attname FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
    AND attgenerated = '' AND attidentity <> 'a' ORDER BY attnum LIMIT 1) a ON true
  WHERE c.relkind IN ('r', 'p') AND NOT EXISTS (
    SELECT FROM pg_inherits own JOIN pg_inherits other ON other.inhparent = own.inhparent AND other.inhrelid < own.inhrelid
    WHERE own.inhrelid = c.oid)
  ORDER BY 1, 2`;

const SEQUENCES = `
  SELECT schemaname AS service, format('%I.%I', schemaname, sequencename) AS name
  FROM pg_sequences WHERE schemaname = ANY($1)`;

/** A call of each function with an absent value for each argument: it is refused before they are looked at. */
const FUNCTIONS = `
  SELECT n.nspname AS service, format('SELECT %I.%I(%s)', n.nspname, p.proname, (SELECT string_agg(
    format('NULL::%s', format_type(t, NULL)), ', ' ORDER BY ord) FROM unnest(p.proargtypes) WITH ORDINALITY AS u(t, ord))) AS call
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace AND n.nspname = ANY($1)
  WHERE p.prorettype <> 'trigger'::regtype`;

const ATTRIBUTES = `
  SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
    ARRAY(SELECT roleid::regrole::text FROM pg_auth_members WHERE member = r.oid) AS "memberOf",
    coalesce(rolconfig, '{}') AS settings,
    ARRAY(SELECT nspname::text FROM pg_namespace WHERE nspowner = r.oid) AS "ownedSchemas",
    (SELECT count(*)::int FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relowner = r.oid AND n.nspowner <> r.oid AND n.nspname <> 'pg_toast')
      + (SELECT count(*)::int FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE p.proowner = r.oid AND n.nspowner <> r.oid)
      + (SELECT count(*)::int FROM pg_database WHERE datdba = r.oid) AS "ownsElsewhere"
  FROM pg_roles r WHERE rolname = $1`;

async function rowsOf<T = Row>(client: pg.Client, sql: string, values: unknown[] = []): Promise<T[]> {
  // The columns are those that the statement names.
  return (await client.query(sql, values)).rows as T[];
}

/** Runs each statement by itself; all must fail for want of a right (SQLSTATE 42501), and those that do not are named. */
async function expectRefused(client: pg.Client, statements: readonly string[]): Promise<void> {
  const outcomes: string[] = [];
  for (const statement of statements) {
    // A failure after it, in the same message, takes back what one that is allowed did; some cannot have company.
    const fail = /^(CREATE|ALTER) (DATABASE|SYSTEM)/.test(statement) ? '' : '; SELECT 1 / 0';
    const refusal = await client.query(statement + fail).then(
      () => 'allowed',
      (error: unknown) => (error instanceof pg.DatabaseError ? `${error.code} ${error.message}` : String(error)),
    );
    if (!refusal.startsWith('42501')) outcomes.push(`${statement}: ${refusal}`);
  }
  expect(outcomes).toEqual([]);
}

/** A service's migrations, by the entry that every service with a schema has. */
async function migrationsOf(service: string): Promise<Migrations> {
  const entry = (await import(`@switchboard/${service}/migrations`)) as Record<string, Migrations>;
  const [migrations] = Object.values(entry);
  if (!migrations) throw new Error(`@switchboard/${service}/migrations exports nothing`);
  return migrations;
}
