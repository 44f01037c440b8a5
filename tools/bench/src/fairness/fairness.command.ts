import type { BenchCall } from '../bench-call.js';
import { benchFairness, linesOfFairness } from './fairness.bench.js';

/** `npm run bench -- fairness`: measures, and prints its table. */
export async function runFairness({ values, machine, onLine }: BenchCall): Promise<void> {
  const limits = values.limits.split(',').map(Number);
  const rows = await benchFairness({
    limits: values.short ? limits.slice(0, 1) : limits,
    rounds: values.short ? 2 : Number(values.rounds),
    roundMs: values.short ? 4_000 : Number(values.seconds) * 1_000,
    onLine,
  });
  onLine(`\nPOST /v1/messages of one organization while another floods at 50 times its limit, ${machine}`);
  onLine(
    '| limit of the flood, /min | flood req/s | of it 429 | sends | idle p50 / p99 ms | flooded p50 / p99 ms | p99 ratio |',
  );
  onLine('|---|---|---|---|---|---|---|');
  for (const line of linesOfFairness(rows)) onLine(line);
}
