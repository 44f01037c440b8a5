import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { readEmbeddedServersConfig } from './embedded-servers.config.js';
import { fetchFromDebian } from './nats-debian.js';

const run = promisify(execFile);

/** The oldest server whose features the project relies on; older ones ignore newer settings without a word. */
const natsVersionMin = { major: 2, minor: 10 } as const;

/**
 * Finds a nats-server of at least `natsVersionMin`: `NATS_SERVER_BIN`, the PATH, the project's cache, then the package
 * of Debian's mirror, which is unpacked into the cache (no root rights needed, nothing is installed).
 *
 * @param options.cacheDir folder that keeps what was fetched, for instance `<checkout>/.cache`.
 * @param options.onProgress called with a few words before something slow begins.
 * @returns the binary's absolute path.
 * @throws Error in one line that says what to install or set.
 */
export async function findNatsServer(options: {
  cacheDir: string;
  onProgress?: (what: string) => void;
  environment?: Readonly<Record<string, string | undefined>>;
}): Promise<string> {
  const { natsServerBinary: named, searchPath } = readEmbeddedServersConfig(options.environment);
  if (named !== undefined) {
    const version = await readVersion(named);
    if (version !== undefined && isEnough(version)) return resolve(named);
    throw new Error(`NATS_SERVER_BIN=${named} is ${version ?? 'no nats-server'}; ${floor()} is needed.`);
  }
  for (const folder of searchPath.split(delimiter)) {
    if (folder === '') continue;
    const candidate = await usable(join(folder, 'nats-server'));
    if (candidate !== undefined) return candidate;
  }
  const cached = join(resolve(options.cacheDir), 'nats', 'nats-server');
  const found = await usable(cached);
  if (found !== undefined) return found;

  options.onProgress?.('fetching nats-server from the Debian mirror');
  const problem = await fetchFromDebian(cached).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const fetched = problem === undefined ? await usable(cached) : undefined;
  if (fetched !== undefined) return fetched;
  throw new Error(
    `No nats-server ${floor()} found (Debian: ${problem ?? 'its package does not run here'}); ` +
      'install one and set NATS_SERVER_BIN to its path, or set NATS_URL to use a running one.',
  );
}

async function usable(path: string): Promise<string | undefined> {
  const isThere = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  const version = await readVersion(path);
  return version !== undefined && isEnough(version) ? path : undefined;
}

async function readVersion(path: string): Promise<string | undefined> {
  const answer = await run(path, ['--version'], { timeout: 10_000 }).catch(() => undefined);
  return /v(\d+\.\d+\.\d+)/.exec(answer?.stdout ?? '')?.[1];
}

function isEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > natsVersionMin.major || (major === natsVersionMin.major && minor >= natsVersionMin.minor);
}

function floor(): string {
  return `${natsVersionMin.major}.${natsVersionMin.minor} or newer`;
}
