import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { removePostgresData, startPostgres, type EmbeddedPostgres } from '@switchboard/embedded-servers';
import { sharedOfRun } from './run-servers.js';
import { createDatabase, type Migrations, type ServiceDatabase } from './service-database.js';
import { startTestNats, type TestNats } from './test-nats.js';
import { readTestingConfig } from './testing.config.js';
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
  /** The file's NATS with the users, streams and consumers of the topology; started by the first call. */
  nats(): Promise<TestNats>;
  /** Runs after the file's tests, the last one given first, before the servers end. */
  onEnd(cleanUp: () => Promise<unknown>): void;
}

/**
 * Servers for a test file, each started when it is first needed and ended, with its data, after the last test. Its
 * databases are on the PostgreSQL that the files of a Jest worker share, one after the other, and are dropped after it.
 *
 * To be called once, at the top of the file or of its outermost `describe`: it registers `afterAll`.
 *
 * @param options.ownPostgres for a file that stops, kills or reconfigures the server, or looks at all that is on it
 */
export function testServers(options: { readonly ownPostgres?: boolean } = {}): TestServers {
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
  const nats = once(async () => startTestNats(join(await folder(), 'nats'), onEnd));
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
    nats,
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
