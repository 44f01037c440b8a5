import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from './free-port.js';
import { commandLine, endProcess, identifyProcess } from './process-identity.js';
import { endServer, type ServerProcess, spawnServer } from './server-process.js';

/** How to start a NATS server. */
export interface NatsOptions {
  /** The server's binary, as `findNatsServer` finds it. */
  readonly binary: string;
  /** Folder for the JetStream store, the configuration (0600: it may hold passwords) and the run files. */
  readonly dataDir: string;
  /** Further configuration in the server's own format: users and permissions, limits. Address and store are set here. */
  readonly configText?: string;
  /** Without it any free one, which is kept over restarts. With it a taken port is an error. */
  readonly port?: number;
  /** Also serve the monitoring endpoints, on a port that the kernel chooses. */
  readonly monitoring?: boolean;
  /** File for the server's log; `<dataDir>/nats.log` without it. */
  readonly log?: string;
}

/** A running NATS server that belongs to this process. */
export interface EmbeddedNats {
  /** Without credentials. */
  readonly url: string;
  readonly port: number;
  /** Base address of the monitoring endpoints, when asked for. */
  readonly monitoringUrl: string | undefined;
  /** Of the server that runs now; it changes with `restart`. */
  readonly pid: number;
  /** Resolves, with a few words on how, when the server that runs now ends for whatever reason. */
  exited(): Promise<string>;
  /** SIGTERM, SIGKILL after `graceMs` (5 s). */
  stop(graceMs?: number): Promise<void>;
  /** SIGKILL. What JetStream acknowledged is in the page cache at least, and so survives the process. */
  kill(): Promise<void>;
  /** Ends it in the given way, unless it has ended already, and starts it on the same port. */
  restart(mode?: 'stop' | 'kill'): Promise<void>;
}

/**
 * Starts a NATS server with JetStream on 127.0.0.1. Ends one that a killed parent left on the same folder first.
 *
 * @throws Error in one line: `port` taken, or the last error of the server's log.
 */
export async function startNats(options: NatsOptions): Promise<EmbeddedNats> {
  const dataDir = resolve(options.dataDir);
  await mkdir(join(dataDir, 'run'), { recursive: true, mode: 0o700 });
  await endNatsOf(dataDir);
  let running = await launch({ ...options, dataDir });
  const { url, port, monitoringUrl } = running;
  const stop = (graceMs = 5_000): Promise<void> => endServer(running.server, 'SIGTERM', graceMs);
  const kill = (): Promise<void> => endServer(running.server, 'SIGKILL', 1_000);
  return {
    url,
    port,
    monitoringUrl,
    get pid() {
      return running.server.pid;
    },
    exited: () => running.server.exited,
    stop,
    kill,
    async restart(mode = 'stop') {
      await (mode === 'kill' ? kill() : stop());
      running = await launch({ ...options, dataDir, port });
    },
  };
}

/** Ends a NATS server that a killed parent left on this data folder. @returns whether there was one. */
export async function endNatsOf(dataDir: string): Promise<boolean> {
  const folder = resolve(dataDir);
  const pid = Number(await readFile(join(folder, 'run', 'nats.pid'), 'utf8').catch(() => ''));
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  const identity = await identifyProcess(pid);
  // The pid may belong to anything by now: only a command line that names our configuration is ours to end.
  if (identity === undefined || !(await commandLine(pid))?.includes(configFile(folder))) return false;
  await endProcess(identity, 'SIGTERM', 5_000);
  return true;
}

/** Another program may take a port between the moment in which it was free and the server's. */
const PORT_TRIES = 5;
const PORTS_WITHIN_MS = 20_000;

interface Running {
  readonly server: ServerProcess;
  readonly url: string;
  readonly port: number;
  readonly monitoringUrl: string | undefined;
}

async function launch(options: NatsOptions): Promise<Running> {
  const runFolder = join(options.dataDir, 'run');
  const config = configFile(options.dataDir);
  const log = options.log ?? join(options.dataDir, 'nats.log');
  for (let triesLeft = PORT_TRIES; ; triesLeft--) {
    const port = options.port ?? (await findFreePort());
    // Ports files are named after the pid: one of an earlier server with the same pid would be taken for ours.
    for (const name of await readdir(runFolder)) await rm(join(runFolder, name), { force: true });
    await rm(config, { force: true });
    await writeFile(config, composeConfig(options, port), { mode: 0o600 });
    const server = await spawnServer({
      command: options.binary,
      args: ['-c', config],
      log,
      environment: environment(),
    });
    const ports = await awaitPorts(server, join(runFolder, `nats-server_${server.pid}.ports`), options.binary);
    if (typeof ports === 'object') return { server, ...ports };
    await endServer(server, 'SIGKILL', 1_000);
    const said = await server.readLog();
    const isPortTaken = said.includes('address already in use');
    const mayRetry = isPortTaken && options.port === undefined && triesLeft > 1;
    if (!mayRetry) throw new Error(explainFailure({ said, without: ports, port, isPortTaken, log }));
  }
}

/**
 * Half of the processors at most: it shares them with everything else, and a Go program that may use all of them looks for work
 * on those that are idle for a moment. With 1 of 2 a message costs it a sixth less.
 */
function environment(): Readonly<Record<string, string>> {
  const processors = Math.max(Math.floor(availableParallelism() / 2), 1);
  return { LANG: 'C.UTF-8', TZ: 'UTC', GOMAXPROCS: String(processors) };
}

function configFile(dataDir: string): string {
  return join(dataDir, 'nats.conf');
}

function composeConfig(options: NatsOptions, port: number): string {
  const runFolder = join(options.dataDir, 'run');
  return [
    'host: "127.0.0.1"',
    `port: ${port}`,
    ...(options.monitoring === true ? ['http: "127.0.0.1:-1"'] : []),
    `pid_file: ${JSON.stringify(join(runFolder, 'nats.pid'))}`,
    `ports_file_dir: ${JSON.stringify(runFolder)}`,
    `jetstream { store_dir: ${JSON.stringify(join(options.dataDir, 'store'))} }`,
    options.configText ?? '',
    '',
  ].join('\n');
}

/**
 * The server writes the file once it listens. Its name carries the binary's name, which need not be `nats-server`.
 *
 * @returns a few words on how it ended, or that it did not answer, without them.
 */
async function awaitPorts(
  server: ServerProcess,
  file: string,
  binary: string,
): Promise<Omit<Running, 'server'> | string> {
  const named = join(file, '..', `${binary.slice(binary.lastIndexOf('/') + 1)}_${server.pid}.ports`);
  const deadline = Date.now() + PORTS_WITHIN_MS;
  let ended: string | undefined;
  void server.exited.then((how) => (ended = how));
  while (ended === undefined && Date.now() < deadline) {
    const text = await readFile(named, 'utf8').catch(() => readFile(file, 'utf8').catch(() => ''));
    const ports = parsePorts(text);
    if (ports !== undefined) return ports;
    await delay(10);
  }
  return ended ?? `no answer within ${PORTS_WITHIN_MS / 1_000} s`;
}

function parsePorts(text: string): Omit<Running, 'server'> | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined; // absent or half written
  }
  const url = firstOf(parsed, 'nats');
  if (url === undefined) return undefined;
  return { url, port: Number(new URL(url).port), monitoringUrl: firstOf(parsed, 'monitoring') };
}

function firstOf(parsed: unknown, key: string): string | undefined {
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const list: unknown = Object.entries(parsed).find(([name]) => name === key)?.[1];
  return Array.isArray(list) && typeof list[0] === 'string' ? list[0] : undefined;
}

interface Failure {
  /** The server's log. */
  readonly said: string;
  /** How it ended, or that it did not answer. */
  readonly without: string;
  readonly port: number;
  readonly isPortTaken: boolean;
  readonly log: string;
}

function explainFailure({ said, without, port, isPortTaken, log }: Failure): string {
  if (isPortTaken) return `Port ${port} is taken, NATS cannot use it.`;
  if (said.includes('no space left on device')) return 'The disk is full: NATS cannot start.';
  const fatal = said.split('\n').filter((line) => /\[FTL\]|\[ERR\]|nats\.conf:/.test(line));
  return `NATS did not start: ${fatal.at(-1)?.trim() ?? without} (log: ${log})`;
}
