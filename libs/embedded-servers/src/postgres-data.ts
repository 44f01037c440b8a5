import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, open, readdir, readFile, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { readEmbeddedServersConfig } from './embedded-servers.config.js';
import { findPostmaster } from './postmaster.js';
import { canReach, isRoot, spawnAccount, unprivilegedUser } from './unprivileged-user.js';

const run = promisify(execFile);

/** The superuser of every cluster made here. */
export const postgresSuperuser = 'postgres';

/** A cluster on disk: where it really lies and its superuser's password. */
export interface PostgresData {
  readonly folder: string;
  readonly password: string;
}

/**
 * Finds or makes the cluster of `dataDir`: UTF-8, built-in C.UTF-8 collation (the same on every platform), scram.
 *
 * A cluster appears whole or not at all: it is made in a neighbouring folder and renamed. The password is kept next to
 * it in `<dataDir>.password` (0600). As root, a folder that the unprivileged account cannot reach is made a link to one
 * below the state folder, /var/lib/switchboard.
 *
 * @throws Error in one line when a cluster exists without its password file, or when initdb fails.
 */
export async function openPostgresData(binaries: string, dataDir: string): Promise<PostgresData> {
  const wanted = resolve(dataDir);
  await mkdir(dirname(wanted), { recursive: true });
  const folder = await placeFolder(wanted);
  const passwordFile = `${wanted}.password`;
  if (await stat(join(folder, 'PG_VERSION')).catch(() => undefined)) {
    const password = await readFile(passwordFile, 'utf8').catch(() => undefined);
    if (password === undefined) {
      throw new Error(
        `The password of the database in ${wanted} is missing (${passwordFile}); begin anew with --reset.`,
      );
    }
    return { folder, password: password.trim() };
  }
  const password = randomBytes(24).toString('base64url');
  await writePrivately(passwordFile, password);
  await initialize(binaries, folder, password);
  return { folder, password };
}

/** Copies the cluster of a server that was stopped, with its password: for tests, which prepare one and start many from it. */
export async function copyPostgresData(fromDir: string, toDir: string): Promise<void> {
  const wanted = resolve(toDir);
  await mkdir(dirname(wanted), { recursive: true });
  const folder = await placeFolder(wanted);
  await writePrivately(`${wanted}.password`, await readFile(`${resolve(fromDir)}.password`, 'utf8'));
  const draft = `${folder}.initializing`;
  // Keeps the owner, which a copy by Node does not.
  await run('cp', ['-a', await placeOfPostgresData(fromDir), draft]);
  await rename(draft, folder);
}

/** Deletes a cluster, wherever it really lies, with its password. The server must have been stopped. */
export async function removePostgresData(dataDir: string): Promise<void> {
  const wanted = resolve(dataDir);
  const target = await readlink(wanted).catch(() => undefined);
  if (target !== undefined && (await originOf(dirname(target))) === wanted) await removeTree(dirname(target));
  await removeTree(wanted);
  await rm(`${wanted}.password`, { force: true });
}

/** Deletes a folder. The processes of a server that was killed end a moment after their postmaster, and write until then. */
async function removeTree(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** The folder that a data folder really is: itself, or what it links to. */
export async function placeOfPostgresData(dataDir: string): Promise<string> {
  return (await readlink(resolve(dataDir)).catch(() => undefined)) ?? resolve(dataDir);
}

async function placeFolder(wanted: string): Promise<string> {
  const remembered = await readlink(wanted).catch(() => undefined);
  if (remembered === undefined && (!isRoot() || (await canReach(wanted)))) return wanted;
  const name = createHash('sha256').update(wanted).digest('hex').slice(0, 16);
  const { postgresStateDir } = readEmbeddedServersConfig();
  const folder = remembered ?? join(postgresStateDir, name, basename(wanted));
  await mkdir(postgresStateDir, { recursive: true, mode: 0o755 });
  if (remembered === undefined) await sweepAbandoned(postgresStateDir);
  await mkdir(dirname(folder), { recursive: true, mode: 0o755 });
  await chmod(dirname(folder), 0o755);
  if (remembered === undefined) {
    // Data of a checkout that was deleted and made again at the same path: its password is gone, so it is of no use.
    await rm(folder, { recursive: true, force: true });
    // The link first: another process that sweeps takes a place with an origin and without a link for an abandoned one.
    await symlink(folder, wanted);
    await writePrivately(join(dirname(folder), 'origin'), wanted);
  }
  return folder;
}

/** Drops data below the state folder whose data folder was deleted by hand, as temporary folders of tests are. */
async function sweepAbandoned(stateDir: string): Promise<void> {
  for (const entry of await readdir(stateDir, { withFileTypes: true })) {
    const holder = join(stateDir, entry.name);
    const origin = await originOf(holder);
    // Empty: another process writes it at this moment.
    if (!entry.isDirectory() || !origin) continue;
    const folder = join(holder, basename(origin));
    if ((await readlink(origin).catch(() => undefined)) === folder) continue;
    if ((await findPostmaster(folder)) === undefined) await rm(holder, { recursive: true, force: true });
  }
}

/** The data folder whose cluster lies in a place below the state folder. */
async function originOf(holder: string): Promise<string | undefined> {
  return readFile(join(holder, 'origin'), 'utf8').catch(() => undefined);
}

async function initialize(binaries: string, folder: string, password: string): Promise<void> {
  const draft = `${folder}.initializing`;
  const passwordFile = `${folder}.initial-password`;
  await rm(draft, { recursive: true, force: true });
  await rm(passwordFile, { force: true });
  await writePrivately(passwordFile, password);
  await mkdir(draft, { mode: 0o700 });
  if (isRoot()) {
    for (const path of [draft, passwordFile]) await chown(path, unprivilegedUser.uid, unprivilegedUser.gid);
  }
  try {
    const flags = ['-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-locale'];
    const access = ['--auth=scram-sha-256', `--username=${postgresSuperuser}`, `--pwfile=${passwordFile}`];
    await run(join(binaries, 'initdb'), [...flags, ...access, '-D', draft], { cwd: '/', ...spawnAccount() });
    await rename(draft, folder);
  } catch (cause) {
    const said = typeof cause === 'object' && cause !== null && 'stderr' in cause ? String(cause.stderr) : '';
    if (said.includes('No space left on device')) {
      throw new Error(`The disk is full: PostgreSQL cannot make its data folder ${folder}.`, { cause });
    }
    const reason = /could not .*|Permission denied.*/.exec(said)?.[0] ?? String(cause);
    throw new Error(`PostgreSQL could not make its data folder ${folder}: ${reason.trim()}`, { cause });
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(passwordFile, { force: true });
  }
}

/** Writes a file that was never readable by others, not even for a moment. */
async function writePrivately(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}
