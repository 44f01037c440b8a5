import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { apt, stepWithinMs } from './nats-debian.js';
import { systemErrorCode } from './system-error.js';

const run = promisify(execFile);

/** Packages that are unpacked into a folder of the project. */
export interface UnpackedPackages {
  readonly target: string;
  readonly packages: readonly string[];
  /** Whether what lies at the target serves. */
  readonly isUsable: () => Promise<boolean>;
}

/**
 * Puts a folder where another process may have put the same meanwhile: that one stays, its programs may run.
 *
 * @param isUsable whether what lies at the target serves; what does not is replaced
 */
export async function putInPlace(folder: string, target: string, isUsable: () => Promise<boolean>): Promise<void> {
  await rename(folder, target).catch(async (error: unknown) => {
    if (systemErrorCode(error) !== 'ENOTEMPTY') throw error;
    if (await isUsable()) return;
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
  });
}

/** Fetches packages unless what lies at the target serves. @throws Error in a few words: as `fetchPackages`, or they do not run here */
export async function requirePackages(packages: UnpackedPackages): Promise<void> {
  if (await packages.isUsable()) return;
  await fetchPackages(packages);
  if (!(await packages.isUsable())) throw new Error('its package does not run here');
}

/**
 * Fetches Debian's packages and what they depend on and the system lacks, through an apt state of its own, and unpacks it all
 * into `target`, whole or not at all. Neither root rights nor changes to the system are needed; signatures are checked.
 *
 * @throws Error in a few words: no apt here, or apt's own last error.
 */
async function fetchPackages({ target, packages, isUsable }: UnpackedPackages): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const folder = await mkdtemp(`${target}-`);
  try {
    for (const path of ['state/lists/partial', 'cache/archives/partial', 'unpacked']) {
      await mkdir(join(folder, path), { recursive: true });
    }
    const options = [
      `Dir::State=${join(folder, 'state')}`,
      // What is installed is not fetched again.
      'Dir::State::status=/var/lib/dpkg/status',
      `Dir::Cache=${join(folder, 'cache')}`,
      'Debug::NoLocking=1',
      // As root apt would drop to a user of its own, who cannot write here.
      'APT::Sandbox::User=root',
      'Acquire::Languages=none',
      'Acquire::Retries=2',
    ].flatMap((option) => ['-o', option]);
    await apt(folder, [...options, '-q', 'update']);
    await apt(folder, [...options, '-q', '-y', '--no-install-recommends', '--download-only', 'install', ...packages]);
    const archives = join(folder, 'cache', 'archives');
    for (const name of (await readdir(archives)).filter((one) => one.endsWith('.deb'))) {
      await run('dpkg-deb', ['-x', join(archives, name), join(folder, 'unpacked')], { timeout: stepWithinMs });
    }
    await putInPlace(join(folder, 'unpacked'), target, isUsable);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The variable that leads programs in such a folder to the libraries that came with them. */
export async function libraryPathOf(target: string): Promise<{ readonly LD_LIBRARY_PATH: string }> {
  const systemLibraries = join(target, 'usr', 'lib');
  const kinds = (await readdir(systemLibraries).catch(() => [])).filter((name) => name.endsWith('-linux-gnu'));
  const folders = kinds.flatMap((kind) => [
    join(systemLibraries, kind),
    join(systemLibraries, kind, 'pulseaudio'),
    join(target, 'lib', kind),
  ]);
  return { LD_LIBRARY_PATH: folders.join(delimiter) };
}
