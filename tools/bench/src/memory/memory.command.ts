import type { BenchCall } from '../bench-call.js';
import { benchMemory, linesOfMemory } from './memory.bench.js';

/** `npm run bench -- memory`: measures, and prints its table. */
export async function runMemory({ values, machine, onLine }: BenchCall): Promise<void> {
  const result = await benchMemory({
    restMs: values.short ? 5_000 : 60_000,
    loadMs: values.short ? 5_000 : Math.max(Number(values.seconds), 30) * 1_000,
    onLine,
  });
  onLine(`\nResident memory, idle and at ${result.sentPerSecond.toFixed(0)} sends a second, ${machine}`);
  onLine('| service | idle MB | under load MB |');
  onLine('|---|---|---|');
  for (const line of linesOfMemory(result)) onLine(line);
}
