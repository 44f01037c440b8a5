/** Starts the programs behind the npm scripts: finds their Node, passes signals on, shows progress and failures. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout, and its packages. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const modules = join(root, 'node_modules');
/** What runs for this script now. */
const children = new Set();
/** The exit code of a script that was interrupted; null while it was not. */
let interruption = null;

/** Hands a signal to all that runs for this script, and starts nothing more. */
export function interrupt(signal) {
  interruption ??= signal === 'SIGINT' ? 130 : 143;
  for (const child of children) child.kill(signal);
  if (children.size === 0) process.exit(interruption);
}

/** The Node that runs everything but this file. */
export function findNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 15)) return process.execPath;
  const provided = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(provided)) return provided;
  throw new Error(`Node ${process.versions.node} is too old and none comes with the packages here: install Node 24.`);
}

/** Does what takes long, with a line at its begin, every 15 s and at its end. */
export async function step(label, what, work) {
  const begun = Date.now();
  const seconds = () => `${((Date.now() - begun) / 1000).toFixed(1)} s`;
  process.stdout.write(`  … ${label}: ${what}\n`);
  const alive = setInterval(() => process.stdout.write(`  … ${label}: ${seconds()}\n`), 15_000);
  try {
    await work();
  } finally {
    clearInterval(alive);
  }
  process.stdout.write(`  ✓ ${label.padEnd(34)} ${seconds().padStart(8)}\n`);
}

/** Runs a program with its output kept back; it is shown when the program fails. */
export async function runQuietly(file, rest) {
  let output = '';
  const code = await run(file, rest, { onOutput: (chunk) => (output += chunk) });
  // However it ended: what it makes ready is not to be started any more.
  if (interruption !== null) throw Object.assign(new Error('Interrupted.'), { exitCode: interruption });
  if (code === 0) return;
  if (/ENOSPC|no space left/i.test(output)) throw Object.assign(new Error(output), { code: 'ENOSPC' });
  throw new Error(`${output.trim().split('\n').slice(-60).join('\n')}\n\nFailed with exit code ${code}.`);
}

/** Runs a program. @returns its exit code; that of a signal is 130 or 143 */
export function run(file, rest, { ipc = false, isStdoutDropped = false, onOutput, environment = {} } = {}) {
  if (interruption !== null) return Promise.resolve(interruption);
  return new Promise((resolve, reject) => {
    const output = onOutput === undefined ? 'inherit' : 'pipe';
    const child = spawn(file, rest, {
      cwd: root,
      stdio: ['inherit', isStdoutDropped ? 'ignore' : output, output, ...(ipc ? ['ipc'] : [])],
      env: {
        ...process.env,
        PATH: `${join(modules, '.bin')}:${process.env.PATH ?? ''}`,
        // Nothing may be left running, and nothing may be sent anywhere.
        NX_DAEMON: 'false',
        NX_NO_CLOUD: 'true',
        NX_TUI: 'false',
        NX_ISOLATE_PLUGINS: 'false',
        ...withoutProxy(),
        ...environment,
      },
    });
    children.add(child);
    child.stdout?.on('data', (chunk) => onOutput(chunk.toString()));
    child.stderr?.on('data', (chunk) => onOutput(chunk.toString()));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      children.delete(child);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 143));
    });
  });
}

/** What runs here is on this machine: with NODE_USE_ENV_PROXY a proxy of the caller would be asked for it. */
function withoutProxy() {
  const { NO_PROXY, no_proxy: lower } = process.env;
  const hosts = ['127.0.0.1,localhost,::1,[::1]', lower || NO_PROXY].filter(Boolean).join(',');
  return { NO_PROXY: hosts, no_proxy: hosts };
}
