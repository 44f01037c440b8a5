import { endServer, findNatsServer, spawnServer } from '@switchboard/embedded-servers';
import { eventually } from '@switchboard/testing/eventually';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..', '..');

/** A server on `deploy/nats/nats.conf` as it is; only its addresses and its store are others. */
export interface DeployedNats {
  readonly url: string;
  /** Base of the monitoring endpoints. */
  readonly monitor: string;
}

/**
 * Starts it.
 *
 * @param environment with the passwords that the file names
 */
export async function startDeployedNats(
  environment: Readonly<Record<string, string>>,
  onEnd: (cleanUp: () => Promise<unknown>) => void,
): Promise<DeployedNats> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-deploy-'));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  const config = join(folder, 'nats.conf');
  const text = await readFile(join(root, 'deploy/nats/nats.conf'), 'utf8');
  const here = text.replace('0.0.0.0:4222', '127.0.0.1:-1').replace('127.0.0.1:8222', '127.0.0.1:-1');
  await writeFile(config, here.replace('"/data"', JSON.stringify(join(folder, 'data'))));
  const server = await spawnServer({
    command: await findNatsServer({ cacheDir: join(root, '.cache') }),
    args: ['-c', config],
    log: join(folder, 'nats.log'),
    environment,
  });
  onEnd(() => endServer(server, 'SIGTERM', 5_000));
  const log = await eventually(async () => {
    const said = await server.readLog();
    return said.includes('Server is ready') && said;
  });
  const portAfter = (what: RegExp): string => what.exec(log)?.[1] ?? '';
  return {
    url: `nats://127.0.0.1:${portAfter(/client connections on 127\.0\.0\.1:(\d+)/)}`,
    monitor: `http://127.0.0.1:${portAfter(/http monitor on 127\.0\.0\.1:(\d+)/)}`,
  };
}
