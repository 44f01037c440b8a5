import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { libraryPathOf, requirePackages } from './debian-packages.js';
import { readEmbeddedServersConfig } from './embedded-servers.config.js';

const run = promisify(execFile);

/** A Python 3 that runs here. */
export interface Python {
  /** A path, or a name that the PATH leads to. */
  readonly executable: string;
  /** Variables to add to the present environment: where the libraries are that came with it. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Finds a Python 3: the PATH, the project's cache, then Debian's package with what it needs and the system lacks, unpacked
 * into the cache (no root rights needed, nothing is installed).
 *
 * @param options.cacheDir folder that keeps what was fetched, for instance `<checkout>/.cache`.
 * @throws Error in one line that says what to install.
 */
export async function findPython({ cacheDir }: { readonly cacheDir: string }): Promise<Python> {
  const installed = { executable: 'python3', environment: {} };
  if (await runs(installed)) return installed;
  const target = join(resolve(cacheDir), 'python3');
  const unpacked = async (): Promise<Python> => ({
    executable: join(target, 'usr', 'bin', 'python3'),
    environment: await libraryPathOf(target),
  });
  const isUsable = async (): Promise<boolean> => runs(await unpacked());
  await requirePackages({ target, packages: ['python3'], isUsable }).catch((error: unknown) => {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`No python3 found (Debian: ${problem}); install one.`, { cause: error });
  });
  return unpacked();
}

/** With modules that a broken or partial one lacks. */
async function runs({ executable, environment }: Python): Promise<boolean> {
  const env = { ...readEmbeddedServersConfig().inherited, ...environment };
  return run(executable, ['-c', 'import hmac, http.server, json, ssl'], { env, timeout: 60_000 }).then(
    () => true,
    () => false,
  );
}
