import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { problemOfName } from './service-name.policy.js';

const USAGE = `Usage: npm run new-service -- <name>

Adds an empty service: apps/<name>, its registration in libs/contracts/src/topology.ts, and what follows from that.

  <name>    3 to 24 lower-case letters and digits: the name of the package, the schema and the NATS user
  --help    shows this text`;
const REFUSED = 2;

const root = resolve(import.meta.dirname, '..', '..', '..');
process.exitCode = newService(process.argv.slice(2));

/** @returns the exit code */
function newService(args: readonly string[]): number {
  const asked = parse(args);
  if (typeof asked === 'string') return refuse(`${asked}\n${USAGE}`);
  if (asked.isHelp) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const problem = problemOfName(asked.name, (folder) => readdirSync(join(root, folder)));
  if (problem !== undefined) return refuse(problem);
  const nx = join(root, 'node_modules', 'nx', 'dist', 'bin', 'nx.js');
  const steps = [
    [nx, 'generate', '@switchboard/generators:service', asked.name],
    [join(root, 'tools', 'dev', 'entry.mjs'), 'build'],
    [join(root, 'tools', 'check', 'dist', 'main.js'), '--write'],
  ];
  for (const step of steps) {
    const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' });
    if (status !== 0) return 1;
  }
  process.stdout.write(
    `apps/${asked.name} is there. Next: say in its README, and in its entry of README.md, what it owns.\n`,
  );
  return 0;
}

/** @returns what is wrong with the command line, in one line */
function parse(args: readonly string[]): { readonly name: string; readonly isHelp: boolean } | string {
  let found;
  try {
    found = parseArgs({ args: [...args], options: { help: { type: 'boolean', short: 'h' } }, allowPositionals: true });
  } catch {
    return `Unknown option ${args.find((arg) => arg.startsWith('-')) ?? ''}.`;
  }
  const [name, ...more] = found.positionals;
  if (found.values.help === true) return { name: '', isHelp: true };
  if (name === undefined) return 'The name of the service is missing.';
  return more.length > 0 ? `One name at a time: ${found.positionals.join(', ')}.` : { name, isHelp: false };
}

function refuse(text: string): number {
  process.stderr.write(`${text}\n`);
  return REFUSED;
}
