import type { BenchCall } from '../bench-call.js';
import { benchSnapshot, linesOfSnapshot } from './snapshot.bench.js';

/** `npm run bench -- snapshot`: measures, and prints its table. */
export async function runSnapshot({ values, machine, onLine }: BenchCall): Promise<void> {
  const events = values.short ? 50_000 : Number(values.behind);
  const result = await benchSnapshot({ events, onLine });
  onLine(`\nA poll of the relay, ${events} events published behind an open snapshot, ${machine}; the bar is 2`);
  onLine('| poll | median ms | ratio | pages | ratio |');
  onLine('|---|---|---|---|---|');
  for (const line of linesOfSnapshot(result)) onLine(line);
}
