import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { faults } from './faults/all.js';
import { isKept, tableOf } from './report/table.js';
import { runChaos, type ChaosResult } from './run-chaos.js';

const HELP = `usage: npm run chaos -- [--fault name[,name]] [--seed n] [--points n] [--at-most n] [--short] [--json file]

  --fault    only these; without it all of them
  --seed     of everything that is drawn by lot; a new one each time without it
  --points   how often each fault is brought about, instead of its own number
  --at-most  how often at most: its own number where that is less
  --short    fewer points and less load each
  --json     writes the results there as well

faults:
${faults.map(({ name, promise }) => `  ${name.padEnd(22)} ${promise}`).join('\n')}
`;

const { values } = parseArgs({
  options: {
    fault: { type: 'string' },
    seed: { type: 'string' },
    points: { type: 'string' },
    'at-most': { type: 'string' },
    short: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const names = values.fault?.split(',');
const unknown = names?.filter((name) => !faults.some((fault) => fault.name === name)) ?? [];

if (values.help || unknown.length > 0) {
  say(unknown.length > 0 ? `There is no fault ${unknown.join(', ')}.\n\n${HELP}` : HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  const done: ChaosResult[] = [];
  const run = runChaos({
    faults: names === undefined ? faults : faults.filter(({ name }) => names.includes(name)),
    seed,
    points: values.points === undefined ? undefined : Number(values.points),
    pointsMax: values['at-most'] === undefined ? undefined : Number(values['at-most']),
    isShort: values.short,
    say,
    onResult: (result) => void done.push(result),
    signal: stopping.signal,
  });
  // Stopped, it leaves nothing behind, and shows the faults that are through.
  await run.catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  const results = done;
  say(`\nseed ${seed}, ${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}\n`);
  say(tableOf(results));
  const notRun = results.filter(({ outcome }) => 'notRun' in outcome).map(({ name }) => name);
  if (notRun.length > 0) say(`\nNot run here, and so neither kept nor broken: ${notRun.join(', ')}.`);
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify({ seed, results }, null, 2)}\n`);
  if (stopping.signal.aborted) process.exit(130);
  process.exitCode = results.every(isKept) ? 0 : 1;
}
