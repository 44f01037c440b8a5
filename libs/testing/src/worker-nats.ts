import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectNats } from '@switchboard/nats/connection';
import { administratorOf } from '@switchboard/nats/nats-accounts';
import { provision } from '@switchboard/nats/provision';
import type { StartShared } from './start-shared.js';
import { NATS_PASSWORD, startNatsServer } from './test-nats.js';

/** How to reach the NATS of a worker. */
export interface NatsAccess {
  readonly url: string;
}

/** Of the JetStream API, as far as it is read. */
interface ApiAnswer {
  readonly streams?: readonly string[] | null;
  readonly error?: { readonly description: string };
}

/** A busy machine may take long to remove the files of a stream. */
const REQUEST_DEADLINE_MS = 20_000;

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
    const api = async (subject: string): Promise<ApiAnswer> => {
      const answer = await connection.request(`$JS.API.${subject}`, '', { timeout: REQUEST_DEADLINE_MS });
      const { error, ...found } = answer.json<ApiAnswer>();
      if (error) throw new Error(`${subject}: ${error.description}`);
      return found;
    };
    const { streams } = await api('STREAM.NAMES');
    for (const name of streams ?? []) await api(`STREAM.DELETE.${name}`);
    await provision(connection, 1);
  } finally {
    await connection.close();
  }
}
