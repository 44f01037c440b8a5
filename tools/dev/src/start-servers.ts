import { findNatsServer, startNats, startPostgres } from '@switchboard/embedded-servers';
import { join } from 'node:path';
import { createDatabase, createServiceAccess, type DatabaseAccess, dropServiceAccess } from './database.js';
import {
  composeNatsConfig,
  embeddedNatsAccess,
  foreignNatsAccess,
  type NatsAccess,
  natsProvisioner,
} from './nats-access.js';
import { runProgram } from './node-program.js';
import { programEnvironment } from './service-environment.js';
import { findProgram, listSchemas, migrationEntry } from './services.js';
import type { StartContext } from './start-spec.js';

/** PostgreSQL, its roles and schemas, and every service's migrations. */
export async function startDatabase(context: StartContext): Promise<DatabaseAccess> {
  const { spec, progress, secrets } = context;
  const names = listSchemas(spec.root);
  const adminUrl = spec.databaseUrl ?? (await createDatabase(await startEmbeddedPostgres(context)));
  const access = await progress.step('roles and schemas', async () => {
    if (spec.databaseUrl !== undefined && spec.isReset) await dropServiceAccess(adminUrl, names);
    return createServiceAccess(adminUrl, names, secrets);
  });
  if (!access.isIsolated) {
    progress.note('DATABASE_URL may not create roles: isolation is off, every service uses its user.');
  }
  // A password that a role has got is on disk before anything else happens.
  await secrets.save();
  if (!spec.isMigrated) await progress.step('migrations', () => migrateAll(context, access));
  return access;
}

/** NATS with a user for every service, and the step that makes streams and consumers. */
export async function startMessaging(context: StartContext): Promise<NatsAccess> {
  const { spec, progress } = context;
  if (spec.natsUrl === undefined) return startEmbeddedNats(context);
  const access = foreignNatsAccess(spec.natsUrl);
  progress.note('NATS_URL is one user for all: isolation is off.');
  await progress.step('streams and consumers', () => provisionStreams(context, access));
  return access;
}

/** Makes streams and consumers what the topology says; harmless where they are so already. */
async function provisionStreams({ spec, stack, common, folder }: StartContext, access: NatsAccess): Promise<void> {
  const entry = findProgram(spec.root, 'provision');
  if (entry === undefined) return;
  const environment = { ...programEnvironment(common), ...access.credentials(natsProvisioner) };
  const program = { name: 'provision', entry, environment, log: join(folder.logs, 'provision.log') };
  await runProgram(program, stack.stopping.signal);
}

async function startEmbeddedPostgres({ stack, folder, progress }: StartContext): Promise<string> {
  let url = '';
  let port: number | undefined;
  await progress.step(
    'PostgreSQL',
    () =>
      stack.add('server', 'postgres', async () => {
        const log = join(folder.logs, 'postgres.log');
        const server = await startPostgres({ dataDir: folder.postgres, log, ...(port === undefined ? {} : { port }) });
        ({ url, port } = server);
        return {
          pid: server.pid,
          url: `postgres://${server.host}:${server.port}`,
          exited: server.exited(),
          stop: (graceMs) => server.stop('fast', graceMs),
        };
      }),
    () => `PostgreSQL on port ${port}`,
  );
  return url;
}

/** Provisioned with every start of the server: its store may have been lost meanwhile. */
async function startEmbeddedNats(context: StartContext): Promise<NatsAccess> {
  const { spec, stack, folder, progress, secrets } = context;
  const binary = await findNatsServer({
    cacheDir: join(spec.root, '.cache'),
    onProgress: (what) => progress.note(`${what} (once)`),
  });
  const configText = composeNatsConfig(secrets);
  let port: number | undefined;
  const nats = await progress.step(
    'NATS with JetStream, its streams and consumers',
    () =>
      stack.add('server', 'nats', async () => {
        const log = join(folder.logs, 'nats.log');
        const options = { binary, dataDir: folder.nats, configText, log };
        const server = await startNats({ ...options, ...(port === undefined ? {} : { port }) });
        port = server.port;
        try {
          await provisionStreams(context, embeddedNatsAccess(server.url, secrets));
        } catch (error) {
          await server.stop();
          throw error;
        }
        return { pid: server.pid, url: server.url, exited: server.exited(), stop: (graceMs) => server.stop(graceMs) };
      }),
    () => `NATS with JetStream on port ${port}`,
  );
  return embeddedNatsAccess(nats.url ?? '', secrets);
}

/** Services share no tables, so their migrations run side by side. */
async function migrateAll({ spec, stack, common, folder }: StartContext, access: DatabaseAccess): Promise<void> {
  await Promise.all(
    [...access.services].map(async ([name, own]) => {
      const entry = migrationEntry(spec.root, name);
      if (entry === undefined) return;
      const environment = {
        ...programEnvironment(common),
        MIGRATOR_DATABASE_URL: own.migratorUrl,
        SERVICE_DATABASE_ROLE: own.runtimeRole,
      };
      const log = join(folder.logs, `${name}-migrations.log`);
      await runProgram({ name: `${name} migrations`, entry, environment, log }, stack.stopping.signal);
    }),
  );
}
