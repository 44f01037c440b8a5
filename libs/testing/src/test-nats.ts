import { join } from 'node:path';
import { findNatsServer, startNats, type EmbeddedNats } from '@switchboard/embedded-servers';
import { connectNats, type NatsConnection } from '@switchboard/nats/connection';
import { natsAccounts } from '@switchboard/nats/nats-accounts';
import { PROVISIONER } from '@switchboard/nats/nats-users';
import { provision } from '@switchboard/nats/provision';

/** A real NATS with the users, permissions, streams and consumers of the topology. */
export interface TestNats {
  readonly url: string;
  /** The password of every user. */
  readonly password: string;
  /**
   * Connects as a user of the topology (a service, or the provisioner), or as an administrator (`administratorOf`); closed
   * after the tests.
   */
  connect(user: string, onStatus?: (status: string, detail: string) => void): Promise<NatsConnection>;
}

/** One that a file may stop, kill and restart. */
export interface OwnTestNats extends TestNats {
  readonly server: EmbeddedNats;
  /** Holds the JetStream store, in `store`. */
  readonly dataDir: string;
}

/** The password of every user of a NATS of tests. */
export const NATS_PASSWORD = 'test';
const CACHE = join(import.meta.dirname, '..', '..', '..', '.cache');

/** Starts a server with the users of the topology on a folder, without streams. */
export async function startNatsServer(dataDir: string): Promise<EmbeddedNats> {
  const accounts = natsAccounts({ of: () => NATS_PASSWORD, administrator: NATS_PASSWORD });
  return startNats({
    binary: await findNatsServer({ cacheDir: CACHE }),
    dataDir,
    // The server's format takes JSON as it is. A process of a test may stand still for long on a machine that is busy with other work.
    configText: `accounts: ${JSON.stringify(accounts)}\nmax_payload: 1MB\nauthorization { timeout: 60 }`,
  });
}

/** A file's connections to a server that has its streams. */
export function testNatsAt(url: string, onEnd: (cleanUp: () => Promise<unknown>) => void): TestNats {
  const connect: TestNats['connect'] = async (user, onStatus = () => undefined) => {
    const connection = await connectNats({ url, user, password: NATS_PASSWORD, onStatus });
    onEnd(() => connection.close());
    return connection;
  };
  return { url, password: NATS_PASSWORD, connect };
}

/** Starts a server on a folder and provisions it as the deployment step does. */
export async function startOwnNats(
  dataDir: string,
  onEnd: (cleanUp: () => Promise<unknown>) => void,
): Promise<OwnTestNats> {
  const server = await startNatsServer(dataDir);
  onEnd(() => server.stop());
  const nats = testNatsAt(server.url, onEnd);
  await provision(await nats.connect(PROVISIONER), 1);
  return { ...nats, server, dataDir };
}
