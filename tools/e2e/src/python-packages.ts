import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');
const requirements = join(root, 'tools', 'e2e', 'clients', 'requirements.txt');
/** Some seconds on a machine that has nothing else to do. */
const TIMEOUT_MS = 240_000;
/** Prints the version; fails without pip, and before the version that the generator needs. */
const probe = 'import pip, sys; print(sys.version); sys.exit(sys.version_info < (3, 11))';

/**
 * Installs the pinned Python packages into the checkout's cache, once per list and interpreter, whole or not at all.
 *
 * @returns variables with which `python3` finds them; undefined where there is no Python 3.11 with pip: `npm test` needs
 *   none, and says so.
 * @throws Error when pip cannot install them
 */
export async function preparePython(): Promise<Readonly<Record<string, string>> | undefined> {
  const found = await run('python3', ['-c', probe]).catch(() => undefined);
  if (!found) {
    process.stderr.write('There is no Python 3.11 with pip: the client of openapi-python-client is not generated.\n');
    return undefined;
  }
  const list = await readFile(requirements, 'utf8');
  const name = createHash('sha256').update(`${found.stdout}${list}`).digest('hex').slice(0, 16);
  const cache = join(root, '.cache', 'python');
  const folder = join(cache, name);
  if (!(await isThere(folder))) {
    await mkdir(cache, { recursive: true });
    const made = await mkdtemp(join(cache, 'new-'));
    // The list names every package, so nothing that is not in it comes along.
    const packages = ['--no-deps', '--only-binary', ':all:', '--no-compile', '--target', made, '-r', requirements];
    const options = ['--disable-pip-version-check', '--quiet', ...packages];
    await run('python3', ['-m', 'pip', 'install', ...options], { timeout: TIMEOUT_MS }).catch(
      async (error: unknown) => {
        await rm(made, { recursive: true, force: true });
        throw error;
      },
    );
    await rm(folder, { recursive: true, force: true });
    await rename(made, folder);
  }
  return { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
