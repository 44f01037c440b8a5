import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { removePostgresData, startPostgres, type EmbeddedPostgres } from '@switchboard/embedded-servers';
import { sharedOfRun } from './run-servers.js';
import { createDatabase, type Migrations, type ServiceDatabase } from './service-database.js';
import { startOwnNats, testNatsAt, type OwnTestNats, type TestNats } from './test-nats.js';
import { readTestingConfig } from './testing.config.js';
import type { NatsAccess } from './worker-nats.js';
import { accessOf, type PostgresAccess } from './worker-postgres.js';

/** The real servers of one test file. */
export interface TestServers {
  /** The file's own PostgreSQL; started by the first call. @throws Error when the file did not ask for one */
  postgres(): Promise<EmbeddedPostgres>;
  /** Text of the log of the PostgreSQL that the file's databases are on, written since the file first needed one. */
  postgresLog(): Promise<string>;
  /** A fresh database with the roles, the schema and the migrations of a service. */
  serviceDatabase(service: string, migrations: Migrations): Promise<ServiceDatabase>;
  /** A fresh database that several services share, each with its roles and its schema, by service. */
  sharedDatabase(migrations: Readonly<Record<string, Migrations>>): Promise<ReadonlyMap<string, ServiceDatabase>>;
  /** A NATS with the users, streams and consumers of the topology: the worker's, or the file's own where it has one. */
  nats(): Promise<TestNats>;
  /** The file's own NATS; started by the first call. @throws Error when the file did not ask for one */
  ownNats(): Promise<OwnTestNats>;
  /** Runs after the file's tests, the last one given first, before the servers end. */
  onEnd(cleanUp: () => Promise<unknown>): void;
}

/**
 * Servers for a test file, each started when it is first needed and ended, with its data, after the last test. Its
 * databases are on the PostgreSQL that the files of a Jest worker share, one after the other, and are dropped after it; so
 * they share a NATS, whose streams are made anew for each.
 *
 * To be called once, at the top of the file or of its outermost `describe`: it registers `afterAll`.
 *
 * @param options.ownPostgres for a file that stops, kills or reconfigures the server, or looks at all that is on it
 * @param options.ownNats for a file that stops or kills that server, or looks at its store
 */
export function testServers(options: { readonly ownPostgres?: boolean; readonly ownNats?: boolean } = {}): TestServers {
  const { runServersUrl } = readTestingConfig();
  const cleanUps: (() => Promise<unknown>)[] = [];
  const onEnd: TestServers['onEnd'] = (cleanUp) => void cleanUps.push(cleanUp);
  const folder = once(async () => {
    const path = await mkdtemp(join(tmpdir(), 'switchboard-test-'));
    onEnd(() => rm(path, { recursive: true, force: true }));
    return path;
  });
  const own = once(async () => {
    const dataDir = join(await folder(), 'postgres');
    const server = await startPostgres({ dataDir });
    onEnd(async () => {
      await server.stop('immediate');
      await removePostgresData(dataDir);
    });
    return { server, access: accessOf(server, dataDir) };
  });
  const isShared = options.ownPostgres !== true && runServersUrl !== undefined;
  const used = once(async () => {
    const access = isShared ? await sharedOfRun<PostgresAccess>('postgres') : (await own()).access;
    return { access, logFrom: (await stat(access.log)).size };
  });
  const ownNats = once(async () => startOwnNats(join(await folder(), 'nats'), onEnd));
  const sharedNats = once(async () => testNatsAt((await sharedOfRun<NatsAccess>('nats')).url, onEnd));
  const databases: TestServers['sharedDatabase'] = async (migrations) =>
    createDatabase({ server: (await used()).access, isShared, onEnd }, migrations);

  afterAll(async () => {
    for (let cleanUp = cleanUps.pop(); cleanUp; cleanUp = cleanUps.pop()) await cleanUp();
  });
  return {
    postgres: async () => {
      if (options.ownPostgres !== true) throw new Error('the file shares its PostgreSQL: see `ownPostgres`');
      return (await own()).server;
    },
    postgresLog: async () => {
      const { access, logFrom } = await used();
      return (await readFile(access.log)).subarray(logFrom).toString('utf8');
    },
    nats: async () => (options.ownNats === true || runServersUrl === undefined ? ownNats() : sharedNats()),
    ownNats: async () => {
      if (options.ownNats !== true) throw new Error('the file shares its NATS: see `ownNats`');
      return ownNats();
    },
    onEnd,
    serviceDatabase: async (service, migrations) => {
      const only = (await databases({ [service]: migrations })).get(service);
      if (!only) throw new Error(`there is no database of ${service}`);
      return only;
    },
    sharedDatabase: databases,
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
