import type { BenchCall } from '../bench-call.js';
import { benchAdmission, linesOfAdmission } from './admission.bench.js';

/** `npm run bench -- admission`: measures, and prints its table. */
export async function runAdmission({ values, machine, onLine }: BenchCall): Promise<void> {
  const row = await benchAdmission({
    connections: 32,
    rounds: values.short ? 2 : Number(values.rounds),
    roundMs: values.short ? 3_000 : Number(values.seconds) * 1_000,
    onLine,
  });
  onLine(`\nAdmission, ${machine}`);
  onLine('| route | connections | req/s | p99 ms | gateway µs | postgres µs | admission µs |');
  onLine('|---|---|---|---|---|---|---|');
  for (const line of linesOfAdmission(row)) onLine(line);
}
