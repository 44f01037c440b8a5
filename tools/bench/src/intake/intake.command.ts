import type { BenchCall } from '../bench-call.js';
import { benchIntake, linesOfIntake } from './intake.bench.js';

/** `npm run bench -- intake`: measures, and prints its table. */
export async function runIntake({ values, machine, onLine }: BenchCall): Promise<void> {
  const rows = await benchIntake({
    connections: 32,
    rounds: values.short ? 1 : Number(values.rounds),
    roundMs: values.short ? 2_000 : Number(values.seconds) * 1_000,
    messages: values.short ? 200 : 2_000,
    onLine,
  });
  onLine(`\nCallbacks taken at 32 connections, ${machine}; the bar of the ratio is 0.7`);
  onLine('| callbacks of | floor/s | ours/s | ratio | floor p50 / p99 ms | ours p50 / p99 ms |');
  onLine('|---|---|---|---|---|---|');
  for (const line of linesOfIntake(rows)) onLine(line);
}
