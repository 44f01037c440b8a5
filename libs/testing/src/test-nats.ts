import { join } from 'node:path';
import { findNatsServer, startNats, type EmbeddedNats } from '@switchboard/embedded-servers';
import { connectNats, natsAccounts, provision, PROVISIONER, type NatsConnection } from '@switchboard/nats';

/** A real NATS with the users, permissions, streams and consumers of the topology. */
export interface TestNats {
  readonly url: string;
  /** The password of every user. */
  readonly password: string;
  readonly server: EmbeddedNats;
  /** Holds the JetStream store, in `store`. */
  readonly dataDir: string;
  /**
   * Connects as a user of the topology (a service, or the provisioner), or as an administrator (`administratorOf`); closed
   * after the tests.
   */
  connect(user: string, onStatus?: (status: string, detail: string) => void): Promise<NatsConnection>;
}

const PASSWORD = 'test';
const CACHE = join(import.meta.dirname, '..', '..', '..', '.cache');

/** Starts the server on a folder and provisions it as the deployment step does. */
export async function startTestNats(
  dataDir: string,
  onEnd: (cleanUp: () => Promise<unknown>) => void,
): Promise<TestNats> {
  const accounts = natsAccounts({ of: () => PASSWORD, administrator: PASSWORD });
  const server = await startNats({
    binary: await findNatsServer({ cacheDir: CACHE }),
    dataDir,
    // The server's format takes JSON as it is.
    configText: `accounts: ${JSON.stringify(accounts)}\nmax_payload: 1MB`,
  });
  onEnd(() => server.stop());
  const connect: TestNats['connect'] = async (user, onStatus = () => undefined) => {
    const connection = await connectNats({ url: server.url, user, password: PASSWORD, onStatus });
    onEnd(() => connection.close());
    return connection;
  };
  await provision(await connect(PROVISIONER), 1);
  return { url: server.url, password: PASSWORD, server, dataDir, connect };
}
