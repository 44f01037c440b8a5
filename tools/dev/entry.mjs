/**
 * The door to every npm script. Depends on nothing and runs on Node 20.19: it installs what is missing, builds, and
 * hands over to the real programs on Node 22.15 or newer (Node 24 comes with the packages where the host has less).
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { helpOf, helpText, problemOf, scripts } from './commands.mjs';
import { install, nxCommand, prepare } from './prepare.mjs';
import { findNode, interrupt, modules, root, run } from './programs.mjs';
import { runTests } from './run-tests.mjs';

const commands = {
  start,
  stop: supervise,
  status: supervise,
  listen: supervise,
  sim: supervise,
  build: buildOnly,
  test: () => runTests(args),
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

for (const stream of [process.stdout, process.stderr]) {
  // A reader of our output, such as `head`, may have seen enough: what the command does is done all the same.
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  // In a terminal the children get Ctrl-C too; they take the second one as a repetition of the first.
  process.on(signal, () => interrupt(signal));
}

if (process.env.npm_lifecycle_event !== undefined) watchNpm();

const command = commands[name];
const asked = command === undefined ? null : helpOf(name, args);
const problem =
  command === undefined ? `There is no command "${name}"; npm run help lists them.` : problemOf(name, args);
if (asked !== null) {
  process.stdout.write(asked);
} else if (problem !== null) {
  const script = scripts[name];
  process.stderr.write(`${problem}\n${script === undefined ? '' : `usage: ${script.usage}\n`}`);
  process.exitCode = 2;
} else {
  try {
    process.exitCode = await command(name, args);
  } catch (error) {
    process.stderr.write(`\n${explain(error)}\n`);
    process.exitCode = error?.exitCode ?? 1;
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
    interrupt('SIGTERM');
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

async function check() {
  await prepare();
  return runTool('check');
}

/** What changed since main, uncommitted files included: lint and types from the cache where nothing of theirs changed, tests always. */
async function affected() {
  await prepare();
  return nx(['affected', '-t', 'lint', 'types', 'test', ...args]);
}

function bench() {
  return runBuiltTool('bench');
}

function chaos() {
  return runBuiltTool('chaos');
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

/** Every page of the console, light and dark, wide and narrow, into .cache/screenshots; or the README's three, as SVG. */
async function screenshots() {
  await prepare();
  return run(findNode(), [join(root, 'tools', 'e2e', 'dist', 'screenshots.js'), ...args]);
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

function newService() {
  return runBuiltTool('generators');
}

/** Nothing is built for help that was built before. */
async function runBuiltTool(tool) {
  const isHelp = args.includes('--help') || args.includes('-h');
  if (!isHelp || !existsSync(join(root, 'tools', tool, 'dist', 'main.js'))) await prepare();
  return runTool(tool);
}

function runTool(tool) {
  const file = join(root, 'tools', tool, 'dist', 'main.js');
  if (!existsSync(file)) throw new Error(`tools/${tool} does not exist yet.`);
  return run(findNode(), [file, ...args]);
}

function nx(rest) {
  return run(findNode(), nxCommand(rest));
}

function explain(error) {
  const code = error?.code;
  if (code === 'ENOSPC') return `The disk is full: free some space below ${root} and try again.`;
  if (code === 'EACCES' || code === 'EPERM') return `No permission: ${error.path ?? error.message}.`;
  return error instanceof Error ? error.message : String(error);
}
