import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DataFolder } from './data-folder.js';
import type { DatabaseAccess } from './database.js';
import { describeOther, describeService, type DevJson, type SeededOrganization } from './dev-json.js';
import { explainSystemError } from './explain.js';
import { shownUrl } from './listen-address.js';
import type { NatsAccess } from './nats-access.js';
import { Progress } from './progress.js';
import { Secrets } from './secrets.js';
import { listServices } from './services.js';
import { startDatabase, startMessaging } from './start-servers.js';
import {
  addTemplates,
  seedOrganizations,
  type SimulatorHandle,
  startServices,
  startSimulator,
} from './start-services.js';
import type { SimulatorSpec } from './dev.config.js';
import type { EnvironmentOf, StartContext, StartSpec } from './start-spec.js';
import { Stack, type StackProcess } from './stack.js';

/** How to start everything. */
export interface StackOptions {
  /** Folder for data, logs and run files; made when missing. One stack at a time. */
  readonly dataDir: string;
  /** The gateway's port; 0 (the default) lets the kernel choose. */
  readonly port?: number;
  /** The address that the gateway listens on; 127.0.0.1 by default. */
  readonly host?: string;
  /** Port and readers of the simulator; by default no message is ever read. */
  readonly simulator?: SimulatorSpec;
  /** Say nothing. */
  readonly quiet?: boolean;
  /** Takes one line of progress; stdout by default. */
  readonly onLine?: (line: string) => void;
  /** Begin with empty data. */
  readonly reset?: boolean;
  /** A folder that `prepareData` has made: the new, empty folder begins with its database. */
  readonly prepared?: string;
  /** Servers of one's own instead of the embedded ones. */
  readonly databaseUrl?: string | undefined;
  readonly natsUrl?: string | undefined;
  /** Processes by service; one each by default. */
  readonly replicas?: Readonly<Record<string, number>>;
  /** Organizations of one channel and no people, further to those of `npm start`, on a folder that has none yet; 0 by default. */
  readonly moreOrganizations?: number;
  /** Further environment of every program: documented configuration of the services. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What single processes get otherwise: for tests that put something between a service and the world. */
  readonly environmentOf?: EnvironmentOf;
  /** Aborting it stops what has been started; `startStack` then rejects. */
  readonly signal?: AbortSignal;
}

/** Everything, running. */
export interface RunningStack {
  /** What dev.json says now; processes change when they are started again. */
  readonly devJson: DevJson;
  /** `gateway`, `gateway-2`, `messaging`, `contacts`, `simulator`, `postgres`, `nats`. @throws Error for any other name. */
  process(name: string): StackProcess;
  /** Ends everything within 10 s and leaves no process behind. Data stay. */
  stop(): Promise<void>;
  /** Stops and deletes the data folder, with what of it had to be put elsewhere: for tests. */
  destroy(): Promise<void>;
}

const root = resolve(import.meta.dirname, '..', '..', '..');
/** For the last checkpoint of a database that is to be copied: a server that was killed goes on deleting files for a moment. */
const CHECKPOINT_MS = 60_000;

/**
 * Starts everything that `npm start` starts: this is what it calls, and what end-to-end tests call. The packages must
 * have been built.
 *
 * @throws Error in one line, after everything begun was ended: the folder in use, a port taken, a disk full, or the
 * last words of the program that did not start.
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  return within(options, startAll);
}

/**
 * Makes a data folder with a migrated database and the demonstration organizations, and stops what runs on it: for tests,
 * whose stacks begin with a copy of it, and seed the simulator alone.
 */
export async function prepareData(dataDir: string): Promise<void> {
  await within({ dataDir, quiet: true }, async (context) => {
    await seedOrganizations(context, await startDatabase(context), undefined);
    await context.secrets.save();
    await context.stack.stop(CHECKPOINT_MS);
  });
}

/** Begins something on a data folder of its own. What has been started is ended when it fails. */
async function within<Begun>(options: StackOptions, begin: (context: StartContext) => Promise<Begun>): Promise<Begun> {
  const folder = new DataFolder(resolve(options.dataDir));
  const onLine = options.onLine ?? ((line: string): void => void process.stdout.write(`${line}\n`));
  const progress = new Progress(options.quiet === true ? () => undefined : onLine);
  const spec: StartSpec = {
    root,
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    simulator: options.simulator ?? {},
    databaseUrl: options.databaseUrl,
    natsUrl: options.natsUrl,
    replicas: options.replicas ?? {},
    moreOrganizations: options.moreOrganizations ?? 0,
    isReset: options.reset ?? false,
    isMigrated: options.prepared !== undefined,
    environmentOf: options.environmentOf ?? ((_process, environment) => environment),
  };
  await explainSystemError(folder.path, () => folder.acquire());
  const stack = new Stack(folder, (text) => progress.note(text));
  const onAbort = (): void => void stack.stop();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await explainSystemError(folder.path, async () => {
      // While the folder was taken, for which leftovers of a killed start may have to be ended.
      options.signal?.throwIfAborted();
      checkReplicas(spec);
      await checkPort(spec);
      if (spec.isReset) await folder.reset();
      if (options.prepared !== undefined) await folder.copyDatabaseFrom(options.prepared);
      await rotateLogs(folder);
      const secrets = await Secrets.open(folder.secretsFile);
      const common = { secrets, compileCache: await findCompileCache(), passed: options.environment ?? {} };
      return await begin({ spec, folder, secrets, progress, stack, common });
    });
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

async function startAll(context: StartContext): Promise<RunningStack> {
  const { stack, folder } = context;
  // The seed needs tables and the simulator; it works while NATS is being prepared. Services need all of it.
  const simulator = startSimulator(context);
  const database = startDatabase(context);
  const [nats, seeded] = await allOrFirstError([
    startMessaging(context),
    Promise.all([database, simulator]).then(([access, handle]) => seedOrganizations(context, access, handle)),
  ]);
  const access = { database: await database, nats, simulator: await simulator };
  await context.secrets.save();
  await startServices(context, access);
  // Only a simulator has templates for organizations that exist nowhere else.
  const organizations = seeded && access.simulator ? await addTemplates(context, access.database, seeded) : seeded;
  const describe = (): DevJson => describeStack(stack, access, organizations);
  await stack.publish(describe);
  return {
    get devJson() {
      return describe();
    },
    process: (name) => stack.process(name),
    stop: () => stack.stop(),
    async destroy() {
      await stack.stop();
      await folder.reset();
      await rm(folder.path, { recursive: true, force: true });
    },
  };
}

/** Fails as soon as one fails, but not before the others have ended: nothing may be begun after the clean-up. */
async function allOrFirstError<A, B>([a, b]: readonly [Promise<A>, Promise<B>]): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled([a, b]);
  if (first.status === 'rejected') throw first.reason;
  if (second.status === 'rejected') throw second.reason;
  return [first.value, second.value];
}

function describeStack(
  stack: Stack,
  access: { database: DatabaseAccess; nats: NatsAccess; simulator: SimulatorHandle | undefined },
  organizations: SeededOrganization[] | undefined,
): DevJson {
  const names = new Set(['simulator', 'postgres', 'nats']);
  const services = stack.processes.filter(({ name }) => !names.has(name));
  const gateway = services.find(({ name }) => name === 'gateway')?.url;
  const at = gateway === undefined ? undefined : new URL(gateway);
  const baseUrl = at && shownUrl(at.hostname, at.port);
  return {
    ...(baseUrl === undefined
      ? {}
      : { baseUrl, legacyBaseUrl: baseUrl, consoleUrl: `${baseUrl}/app`, docsUrl: `${baseUrl}/docs` }),
    ...(access.simulator === undefined ? {} : { simulatorUrl: access.simulator.url }),
    databaseUrl: access.database.adminUrl,
    natsUrl: access.nats.adminUrl,
    ...(organizations === undefined ? {} : { organizations }),
    processes: [
      ...services.map(describeService),
      ...stack.processes.filter(({ name }) => names.has(name)).map(describeOther),
    ],
  };
}

function checkReplicas(spec: StartSpec): void {
  const known = new Set(listServices(spec.root).map(({ name }) => name));
  const unknown = Object.keys(spec.replicas).filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new Error(`SWITCHBOARD_REPLICAS names ${unknown.join(', ')}; there are ${[...known].join(', ')}.`);
  }
}

/** Says that the port is taken before half a minute was spent on everything else. */
async function checkPort({ port, host }: StartSpec): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  await new Promise<void>((done, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${error.code})`;
      reject(new Error(`Port ${port} ${why}: choose another, for example PORT=${port + 1} npm start.`));
    });
    server.listen(port, host, () => server.close(() => done()));
  });
}

/** One older log is kept for each; a log that is open never moves. */
async function rotateLogs(folder: DataFolder): Promise<void> {
  for (const name of await readdir(folder.logs)) {
    const path = join(folder.logs, name);
    if (name.endsWith('.log') && (await stat(path)).size > 20_000_000) await rename(path, `${path}.1`);
  }
}

/** In the checkout, where several copies share it; in the temporary folder where the checkout cannot be written. */
async function findCompileCache(): Promise<string> {
  for (const path of [
    join(root, '.cache', 'compile'),
    join(tmpdir(), `switchboard-compile-${process.getuid?.() ?? 0}`),
  ]) {
    const probe = join(path, `.probe-${process.pid}`);
    try {
      await mkdir(probe, { recursive: true });
      await rm(probe, { recursive: true });
      return path;
    } catch {
      continue;
    }
  }
  return '';
}
