import type { BenchCall } from '../bench-call.js';
import { benchIdle } from './idle.bench.js';

/** `npm run bench -- idle`: measures, and prints its table. */
export async function runIdle({ values, machine, onLine }: BenchCall): Promise<void> {
  const result = await benchIdle({
    idleMs: values.short ? 10_000 : Math.max(Number(values.seconds), 20) * 1_000,
    sends: values.short ? 4 : 20,
    isShort: values.short,
    onLine,
  });
  const cpu = [...result.cpuPercent].map(([name, percent]) => `${name} ${percent.toFixed(2)}`);
  const commits = [...result.commitsPerSend];
  const total = [...result.cpuPercent.values()].reduce((sum, percent) => sum + percent, 0);
  onLine(`\nEverything that npm start runs, without work, ${machine}`);
  onLine('| commits/s | CPU, % of a core | by process | commits of a single send |');
  onLine('|---|---|---|---|');
  const cells = [
    result.commitsPerSecond.toFixed(1),
    total.toFixed(2),
    cpu.join(', '),
    commits.map(([name, number]) => `${name} ${number.toFixed(1)}`).join(', '),
  ];
  onLine(`| ${cells.join(' | ')} |`);
}
