import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { libraryPathOf, requirePackages } from './debian-packages.js';
import { readEmbeddedServersConfig } from './embedded-servers.config.js';

const run = promisify(execFile);

/** A browser that runs here. */
export interface Chromium {
  readonly executablePath: string;
  /** Variables to add to the present environment: where the libraries are that came with it. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The browser without windows, and letters to draw. */
const packages = ['chromium-headless-shell', 'fonts-dejavu-core'];

const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/**
 * Finds a Chromium: `CHROMIUM_BIN`, the PATH, the project's cache, then Debian's package with what it needs and the system
 * lacks, unpacked into the cache (no root rights needed, nothing is installed; 100 MB, some 20 s the first time).
 *
 * @param options.cacheDir folder that keeps what was fetched, for instance `<checkout>/.cache`.
 * @throws Error in one line that says what to install or set.
 */
export async function findChromium(options: {
  cacheDir: string;
  environment?: Readonly<Record<string, string | undefined>>;
}): Promise<Chromium> {
  const { chromiumBinary: named, searchPath } = readEmbeddedServersConfig(options.environment);
  if (named !== undefined) {
    const chosen = await usable({ executablePath: resolve(named), environment: {} });
    if (chosen) return chosen;
    throw new Error(`CHROMIUM_BIN=${named} does not run.`);
  }
  for (const folder of searchPath.split(delimiter).filter((one) => one !== '')) {
    for (const name of names) {
      const found = await usable({ executablePath: join(folder, name), environment: {} });
      if (found) return found;
    }
  }
  const unpacked = join(resolve(options.cacheDir), 'chromium');
  const isUsable = async (): Promise<boolean> => (await usable(await unpackedAt(unpacked))) !== undefined;
  await requirePackages({ target: unpacked, packages, isUsable }).catch((error: unknown) => {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`No Chromium found (Debian: ${problem}); install one and set CHROMIUM_BIN to its path.`, {
      cause: error,
    });
  });
  return unpackedAt(unpacked);
}

/** Debian's package as it lies in a folder. */
async function unpackedAt(folder: string): Promise<Chromium> {
  return {
    executablePath: join(folder, 'usr', 'lib', 'chromium', 'chromium-headless-shell'),
    // Fonts are looked for there as well; a system without any draws no text.
    environment: { ...(await libraryPathOf(folder)), XDG_DATA_HOME: join(folder, 'usr', 'share') },
  };
}

async function usable(chromium: Chromium): Promise<Chromium | undefined> {
  const { executablePath, environment } = chromium;
  const isThere = await access(executablePath, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  const env = { ...readEmbeddedServersConfig().inherited, ...environment };
  const answer = await run(executablePath, ['--no-sandbox', '--version'], { env, timeout: 60_000 }).catch(
    () => undefined,
  );
  return answer && /\d+\.\d+/.test(answer.stdout) ? chromium : undefined;
}
