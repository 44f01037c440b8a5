import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { apt, stepWithinMs } from './nats-debian.js';
import { systemErrorCode } from './system-error.js';

const run = promisify(execFile);

/** The browser without windows, and letters to draw. */
const packages = ['chromium-headless-shell', 'fonts-dejavu-core'];

/**
 * Puts a folder where another process may have put the same meanwhile: that one stays, its browser may run.
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

/**
 * Fetches Debian's Chromium and what it depends on and the system lacks, through an apt state of its own, and unpacks it all
 * into `target`, whole or not at all. Neither root rights nor changes to the system are needed; signatures are checked.
 *
 * @param isUsable whether what lies at the target serves
 * @throws Error in a few words: no apt here, or apt's own last error.
 */
export async function fetchChromium(target: string, isUsable: () => Promise<boolean>): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  const folder = await mkdtemp(join(dirname(target), 'chromium-'));
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
