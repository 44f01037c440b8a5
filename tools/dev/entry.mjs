/**
 * The door to every npm script. Depends on nothing and runs on Node 20.19: it installs what is missing, builds, and
 * hands over to the real programs on Node 22.15 or newer (Node 24 comes with the packages where the host has less).
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { helpText, problemOf, scripts } from './commands.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.switchboard-installed');
const children = new Set();

const commands = {
  start,
  stop: supervise,
  status: supervise,
  listen: supervise,
  sim: supervise,
  build: buildOnly,
  test,
  check,
  affected,
  bench,
  chaos,
  admin,
  'audit:verify': auditVerify,
  'new-service': newService,
  'demo:bulk': demoBulk,
  screenshots,
  format,
  help,
};
const [name = 'start', ...args] = process.argv.slice(2);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  // In a terminal the children get Ctrl-C too; they take the second one as a repetition of the first.
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
    if (children.size === 0) process.exit(signal === 'SIGINT' ? 130 : 143);
  });
}

if (process.env.npm_lifecycle_event !== undefined) watchNpm();

const command = commands[name];
const problem =
  command === undefined ? `There is no command "${name}"; npm run help lists them.` : problemOf(name, args);
if (problem !== null) {
  const { usage } = scripts[name] ?? {};
  process.stderr.write(`${problem}\n${usage === undefined ? '' : `usage: ${usage}\n`}`);
  process.exitCode = 2;
} else {
  try {
    process.exitCode = await command(name, args);
  } catch (error) {
    process.stderr.write(`\n${explain(error)}\n`);
    process.exitCode = 1;
  }
}

/**
 * npm that gets SIGTERM kills the shell between us and dies, without a word to us; killed by -9 it leaves the shell too.
 * Either shows in who our parent is, or who its parent is.
 */
function watchNpm() {
  const ancestors = () => {
    const parent = process.ppid;
    try {
      const stat = readFileSync(`/proc/${parent}/stat`, 'utf8');
      return `${parent} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]}`;
    } catch {
      return String(parent);
    }
  };
  const before = ancestors();
  const watch = setInterval(() => {
    if (ancestors() === before) return;
    clearInterval(watch);
    for (const child of children) child.kill('SIGTERM');
  }, 500);
  watch.unref();
}

async function start() {
  await prepare();
  return supervise(name, args);
}

/** start, stop, status, listen and sim live in the supervisor. Without an installation nothing can run, so nothing has to be built. */
async function supervise(what, rest) {
  const supervisor = join(root, 'tools', 'dev', 'dist', 'main.js');
  if (what !== 'start' && !existsSync(supervisor)) {
    process.stdout.write('Nothing runs: Switchboard has not been started from this folder yet.\n');
    return 0;
  }
  // The channel closes when this process ends, in whatever way: then the supervisor stops everything.
  return run(findNode(), ['--disable-warning=ExperimentalWarning', supervisor, what, ...rest], { ipc: true });
}

async function buildOnly() {
  await prepare();
  return 0;
}

async function test() {
  await prepare();
  const code = await run(findNode(), [join(root, 'tools', 'dev', 'dist', 'main.js'), 'prepare']);
  if (code !== 0) return code;
  // All that the tests write for a while lies below it, and goes with it: also of a run that is interrupted.
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  const report = join(folder, 'report.json');
  try {
    const jest = join(modules, 'jest', 'bin', 'jest.js');
    const options = ['--json', `--outputFile=${report}`, ...(process.stderr.isTTY ? ['--colors'] : []), ...args];
    // --json prints the report on stdout as well: it is read from the file, the readable account is on stderr.
    const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
    const environment = { TMPDIR: folder };
    // The channel shows Jest that this process is gone, however it ended (tools/e2e/src/global-setup.ts).
    const channel = { ipc: true, isStdoutDropped: true, environment };
    const exitCode = await run(findNode(), [...flags, jest, ...options], channel);
    const result = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
    const passed = result?.numPassedTests ?? 0;
    // A file that could not be loaded hides its tests: it counts as a failed one.
    let failed = (result?.numFailedTests ?? 0) + (result?.numRuntimeErrorTestSuites ?? 0);
    if (exitCode !== 0 && failed === 0) failed = 1;
    const skipped = (result?.numPendingTests ?? 0) + (result?.numTodoTests ?? 0);
    process.stdout.write(slowestFiles(result?.testResults ?? []));
    process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
    return exitCode === 0 && failed > 0 ? 1 : exitCode;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The ten files that took longest, with their seconds. */
function slowestFiles(results) {
  const files = results.map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1_000 }));
  const slowest = files.sort((a, b) => b.seconds - a.seconds).slice(0, 10);
  return slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${relative(root, name)}\n`).join('');
}

async function check() {
  await prepare();
  return runTool('check');
}

/** What changed since main, uncommitted files included: lint and types from the cache where nothing of theirs changed, tests always. */
async function affected() {
  await prepare();
  return nx(['affected', '-t', 'lint', 'types', 'test', ...args]);
}

async function bench() {
  await prepare();
  return runTool('bench');
}

async function chaos() {
  await prepare();
  return runTool('chaos');
}

/** For operators: what it works on runs already, so nothing is built when it has been. */
async function admin() {
  if (!existsSync(join(root, 'tools', 'admin', 'dist', 'main.js'))) await prepare();
  return runTool('admin');
}

/** For whoever has `npm start` running. */
async function demoBulk() {
  const program = join(root, 'tools', 'dev', 'dist', 'demo-bulk-main.js');
  if (!existsSync(program)) await prepare();
  return run(findNode(), [program, ...args]);
}

/** Every page of the console, light and dark, wide and narrow, into .cache/screenshots. */
async function screenshots() {
  await prepare();
  return run(findNode(), [join(root, 'tools', 'e2e', 'dist', 'screenshots.js')]);
}

async function auditVerify() {
  args.unshift('audit', 'verify');
  return admin();
}

async function format() {
  await install();
  return run(findNode(), [join(modules, 'prettier', 'bin', 'prettier.cjs'), '--write', '--log-level', 'warn', '.']);
}

function help() {
  process.stdout.write(helpText());
  return 0;
}

async function newService() {
  await prepare();
  return runTool('generators');
}

function runTool(tool) {
  const file = join(root, 'tools', tool, 'dist', 'main.js');
  if (!existsSync(file)) throw new Error(`tools/${tool} does not exist yet.`);
  return run(findNode(), [file, ...args]);
}

async function prepare() {
  // A target that nx runs is built already, and its own nx would wait for this one.
  if (process.env.NX_TASK_TARGET_PROJECT !== undefined) return;
  await install();
  await step('build', 'every package', () => runQuietly(findNode(), nxCommand(['run-many', '-t', 'build'])));
}

function nx(rest) {
  return run(findNode(), nxCommand(rest));
}

function nxCommand(rest) {
  return [join(modules, 'nx', 'dist', 'bin', 'nx.js'), ...rest, '--outputStyle=static'];
}

/** Installs when packages are missing or the lock file is not the one that was installed last. */
async function install() {
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

/** The Node that runs everything but this file. */
function findNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 15)) return process.execPath;
  const provided = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(provided)) return provided;
  throw new Error(`Node ${process.versions.node} is too old and none comes with the packages here: install Node 24.`);
}

async function step(label, what, work) {
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
async function runQuietly(file, rest) {
  let output = '';
  const code = await run(file, rest, { onOutput: (chunk) => (output += chunk) });
  if (code === 0) return;
  if (/ENOSPC|no space left/i.test(output)) throw Object.assign(new Error(output), { code: 'ENOSPC' });
  throw new Error(`${output.trim().split('\n').slice(-60).join('\n')}\n\nFailed with exit code ${code}.`);
}

function run(file, rest, { ipc = false, isStdoutDropped = false, onOutput, environment = {} } = {}) {
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

function explain(error) {
  const code = error?.code;
  if (code === 'ENOSPC') return `The disk is full: free some space below ${root} and try again.`;
  if (code === 'EACCES' || code === 'EPERM') return `No permission: ${error.path ?? error.message}.`;
  return error instanceof Error ? error.message : String(error);
}
