/** Makes a checkout able to run: its packages, then everything that is built of it. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findNode, modules, root, runQuietly, step } from './programs.mjs';

const stampFile = join(modules, '.switchboard-installed');

/** Installs and builds what is not there yet, or no longer true. */
export async function prepare() {
  // A target that nx runs is built already, and its own nx would wait for this one.
  if (process.env.NX_TASK_TARGET_PROJECT !== undefined) return;
  await install();
  await step('build', 'every package', () => runQuietly(findNode(), nxCommand(['run-many', '-t', 'build'])));
}

/** Installs when packages are missing or the lock file is not the one that was installed last. */
export async function install() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const installed = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
  if (installed === lock && existsSync(join(modules, '.package-lock.json'))) return;
  await step('install', 'npm packages (the first time takes about half a minute)', async () => {
    // Not `npm ci`: it refuses a lock file that lists another platform's optional packages which a registry lacks.
    const npm = process.env.npm_execpath;
    const options = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    if (npm?.endsWith('.js')) await runQuietly(process.execPath, [npm, ...options]);
    else await runQuietly('npm', options);
    mkdirSync(modules, { recursive: true });
    writeFileSync(stampFile, lock);
  });
}

/** The arguments by which Node runs nx. */
export function nxCommand(rest) {
  return [join(modules, 'nx', 'dist', 'bin', 'nx.js'), ...rest, '--outputStyle=static'];
}
