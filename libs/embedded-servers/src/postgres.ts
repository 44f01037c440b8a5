import { resolve, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from './free-port.js';
import { preparePostgresBinaries } from './postgres-binaries.js';
import { openPostgresData, placeOfPostgresData, postgresSuperuser } from './postgres-data.js';
import { endLeftoverPostgres, readPostmasterFile } from './postmaster.js';
import { endServer, type ServerProcess, spawnServer } from './server-process.js';
import { spawnAccount } from './unprivileged-user.js';

/** How to start a PostgreSQL. */
export interface PostgresOptions {
  /** The cluster's folder; made when missing. Its password is next to it in `<dataDir>.password`. */
  readonly dataDir: string;
  /** Without it any free one, which is kept over restarts. With it a taken port is an error. */
  readonly port?: number;
  /** File for the server's log; `<dataDir>.log` without it. */
  readonly log?: string;
  /** Further or other settings, as in postgresql.conf. */
  readonly extraSettings?: Readonly<Record<string, string>>;
}

/** A running PostgreSQL that belongs to this process. */
export interface EmbeddedPostgres {
  /** As superuser, on the database `postgres`. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Of the server that runs now; it changes with `restart`. */
  readonly pid: number;
  /** Resolves, with a few words on how, when the server that runs now ends for whatever reason. */
  exited(): Promise<string>;
  /**
   * Cuts sessions and ends with a checkpoint (`fast`), or without one (`immediate`): then it recovers at its next start.
   * SIGKILL after `graceMs` (8 s).
   */
  stop(mode?: 'fast' | 'immediate', graceMs?: number): Promise<void>;
  /** SIGKILL. Committed data survives: fsync stays on. */
  kill(): Promise<void>;
  /** Ends it in the given way, unless it has ended already, and starts it on the same port. */
  restart(mode?: 'fast' | 'immediate' | 'kill'): Promise<void>;
}

/**
 * What keeps rows and parameters out of the server's log: no DETAIL («Key (phone)=(…)») and CONTEXT, no statement, no
 * parameter, whatever the cluster's own file says. docker-compose.yml has the same.
 *
 * Source: PostgreSQL manual, "Error Reporting and Logging".
 */
export const postgresLogSettings: Readonly<Record<string, string>> = {
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
};

/** Sized for one machine that also runs everything else. docker-compose.yml has the same. */
export const postgresSettings: Readonly<Record<string, string>> = {
  // Every replica of a service holds a pool of about eight connections.
  max_connections: '200',
  shared_buffers: '256MB',
  // A server that was killed replays what it wrote since its last checkpoint, and nothing is answered until it has.
  max_wal_size: '1GB',
  checkpoint_timeout: '15min',
  wal_compression: 'on',
  // Many short statements: compiling one costs more than it saves.
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  ...postgresLogSettings,
};

/** What the local run has in addition; durability is never traded away. */
const settings: Readonly<Record<string, string>> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  log_line_prefix: '%m [%p] %q%u@%d ',
  ...postgresSettings,
};

/**
 * Starts PostgreSQL on a data folder, from the binaries that npm installed.
 *
 * Ends a server that a killed parent left on the same folder, ignores a stale `postmaster.pid`, and tries again while
 * the children of a killed server still hold its shared memory.
 *
 * @throws Error in one line: no binaries, `port` taken, the disk full, or the last lines of the server's log.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const binaries = await preparePostgresBinaries();
  const data = await openPostgresData(binaries, options.dataDir);
  const log = options.log ?? `${resolve(options.dataDir)}.log`;
  await endLeftoverPostgres(data.folder);
  const start = (port: number | undefined): Promise<Running> =>
    startUntilReady({ binary: join(binaries, 'postgres'), folder: data.folder, log, options, port });

  let running = await start(options.port);
  const { port } = running;
  const stop = async (mode: 'fast' | 'immediate' = 'fast', graceMs = 8_000): Promise<void> =>
    endServer(running.server, mode === 'fast' ? 'SIGINT' : 'SIGQUIT', graceMs);
  const kill = async (): Promise<void> => endServer(running.server, 'SIGKILL', 1_000);
  return {
    // It has no certificate, and a PGSSLMODE of the caller's environment is meant for other servers.
    url: `postgres://${postgresSuperuser}:${data.password}@127.0.0.1:${port}/postgres?sslmode=disable`,
    host: '127.0.0.1',
    port,
    user: postgresSuperuser,
    password: data.password,
    get pid() {
      return running.server.pid;
    },
    exited: () => running.server.exited,
    stop,
    kill,
    async restart(mode = 'fast') {
      await (mode === 'kill' ? kill() : stop(mode));
      running = await start(port);
    },
  };
}

/** Ends a PostgreSQL that a killed parent left on this data folder. @returns whether there was one. */
export async function endPostgresOf(dataDir: string): Promise<boolean> {
  return endLeftoverPostgres(await placeOfPostgresData(dataDir));
}

interface Running {
  readonly server: ServerProcess;
  readonly port: number;
}

interface Launch {
  readonly binary: string;
  readonly folder: string;
  readonly log: string;
  readonly options: PostgresOptions;
  readonly port: number | undefined;
}

async function startUntilReady(launch: Launch): Promise<Running> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const port = launch.port ?? (await findFreePort());
    const server = await spawnServer({
      command: launch.binary,
      args: [
        '-D',
        launch.folder,
        ...settingArguments({ ...settings, ...launch.options.extraSettings, port: String(port) }),
      ],
      log: launch.log,
      account: spawnAccount(),
      // SIGTERM would wait until every session has ended by itself.
      orphanSignal: 'SIGINT',
    });
    const failure = await readyOrFailure(server, launch.folder, deadline);
    if (failure === undefined) return { server, port };
    await endServer(server, 'SIGQUIT', 2_000);
    const said = await server.readLog();
    const isPortTaken = /could not bind .* address|Address already in use/.test(said);
    const isKillRecent = /shared memory block .* is still in use|lock file "postmaster.pid"/.test(said);
    const mayRetry = (isPortTaken && launch.port === undefined) || isKillRecent;
    if (!mayRetry || Date.now() > deadline) {
      throw new Error(
        isPortTaken ? `Port ${port} is taken, PostgreSQL cannot use it.` : explain(said, failure, launch.log),
      );
    }
    await delay(200);
  }
}

function settingArguments(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Waits for `ready` in postmaster.pid, as pg_ctl does. @returns how the server ended, or that the time was up; undefined when it is ready */
async function readyOrFailure(server: ServerProcess, folder: string, deadline: number): Promise<string | undefined> {
  let how: string | undefined;
  void server.exited.then((reason) => (how = reason));
  while (how === undefined && Date.now() < deadline) {
    const file = await readPostmasterFile(folder);
    if (file?.pid === server.pid && file.status === 'ready') return undefined;
    await delay(15);
  }
  return how ?? 'no answer within 30 s';
}

function explain(said: string, failure: string, log: string): string {
  if (said.includes('No space left on device')) return 'The disk is full: PostgreSQL cannot start.';
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const fatal = lines.findLast((line) => /FATAL|PANIC|error while loading/.test(line))?.trim();
  // As of a server that was killed, or whose log could not be written.
  const last = lines.at(-1)?.trim();
  const why =
    fatal ?? (last === undefined ? `${failure}, and nothing in its log` : `${failure}; its log ends with: ${last}`);
  return `PostgreSQL did not start: ${why} (log: ${log})`;
}
