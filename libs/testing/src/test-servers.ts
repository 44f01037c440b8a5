import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { removePostgresData, startPostgres, type EmbeddedPostgres } from '@switchboard/embedded-servers';
import { createDatabase, type Migrations, type ServiceDatabase } from './service-database.js';
import { startTestNats, type TestNats } from './test-nats.js';

/** The real servers of one test file. */
export interface TestServers {
  /** The file's PostgreSQL; started by the first call. */
  postgres(): Promise<EmbeddedPostgres>;
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
 * Servers for a test file, each started when it is first needed and ended, with its data, after the last test.
 *
 * To be called once, at the top of the file or of its outermost `describe`: it registers `afterAll`.
 */
export function testServers(): TestServers {
  const cleanUps: (() => Promise<unknown>)[] = [];
  const onEnd: TestServers['onEnd'] = (cleanUp) => void cleanUps.push(cleanUp);
  const folder = once(async () => {
    const path = await mkdtemp(join(tmpdir(), 'switchboard-test-'));
    onEnd(() => rm(path, { recursive: true, force: true }));
    return path;
  });
  const postgres = once(async () => {
    const dataDir = join(await folder(), 'postgres');
    const server = await startPostgres({ dataDir });
    onEnd(async () => {
      await server.stop('immediate');
      await removePostgresData(dataDir);
    });
    return server;
  });
  const nats = once(async () => startTestNats(join(await folder(), 'nats'), onEnd));

  afterAll(async () => {
    for (let cleanUp = cleanUps.pop(); cleanUp; cleanUp = cleanUps.pop()) await cleanUp();
  });
  return {
    postgres,
    nats,
    onEnd,
    serviceDatabase: async (service, migrations) => {
      const made = await createDatabase({ server: await postgres(), onEnd }, { [service]: migrations });
      const only = made.get(service);
      if (!only) throw new Error(`there is no database of ${service}`);
      return only;
    },
    sharedDatabase: async (migrations) => createDatabase({ server: await postgres(), onEnd }, migrations),
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
