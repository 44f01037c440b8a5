import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removePostgresData, startPostgres, type EmbeddedPostgres } from '@switchboard/embedded-servers';
import type { StartShared } from './start-shared.js';

/** How to reach a PostgreSQL as superuser. */
export type PostgresAccess = Pick<EmbeddedPostgres, 'url' | 'host' | 'port' | 'user' | 'password'> & {
  /** File of the server's log. */
  readonly log: string;
};

/**
 * Starts the PostgreSQL of a worker. It survives no crash of the machine, and is asked to survive none: a file that stops,
 * kills or reconfigures a server has its own, with fsync on.
 */
export const startWorkerPostgres: StartShared = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-run-'));
  const dataDir = join(folder, 'postgres');
  const server = await startPostgres({
    dataDir,
    // Passwords of tests protect nothing, and each connection would pay for thousands of iterations.
    extraSettings: { fsync: 'off', full_page_writes: 'off', scram_iterations: '1' },
  });
  return {
    access: async () => accessOf(server, dataDir),
    end: async () => {
      await server.stop('immediate');
      await removePostgresData(dataDir);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** How to reach a server that was started on a folder. */
export function accessOf({ url, host, port, user, password }: EmbeddedPostgres, dataDir: string): PostgresAccess {
  return { url, host, port, user, password, log: `${dataDir}.log` };
}
