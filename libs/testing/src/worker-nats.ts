import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { administratorOf, connectNats, provision } from '@switchboard/nats';
import type { StartShared } from './run-servers.js';
import { NATS_PASSWORD, startNatsServer } from './test-nats.js';

/** How to reach the NATS of a worker. */
export interface NatsAccess {
  readonly url: string;
}

/**
 * Starts the NATS of a worker. Each file gets it with streams and consumers that are new and empty; one that stops, kills or
 * reconfigures a server has its own.
 */
export const startWorkerNats: StartShared = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-run-'));
  const server = await startNatsServer(join(folder, 'nats'));
  const access = async (): Promise<NatsAccess> => {
    await provisionAnew(server.url);
    return { url: server.url };
  };
  const end = async (): Promise<void> => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { access, end };
};

async function provisionAnew(url: string): Promise<void> {
  const user = administratorOf();
  const connection = await connectNats({ url, user, password: NATS_PASSWORD, onStatus: () => undefined });
  try {
    const names = await connection.request('$JS.API.STREAM.NAMES');
    const { streams } = names.json<{ streams: readonly string[] | null }>();
    for (const name of streams ?? []) await connection.request(`$JS.API.STREAM.DELETE.${name}`);
    await provision(connection, 1);
  } finally {
    await connection.close();
  }
}
