import type { BenchCall } from '../bench-call.js';
import { benchCallbacks, linesOfCallbacks } from './callbacks.bench.js';

/** `npm run bench -- callbacks`: measures, and prints its table. */
export async function runCallbacks({ values, machine, onLine }: BenchCall): Promise<void> {
  const rows = await benchCallbacks({
    rounds: values.short ? 1 : Number(values.rounds),
    roundMs: values.short ? 4_000 : Number(values.seconds) * 1_000,
    onLine,
  });
  onLine(`\nPOST /v1/messages of one organization next to hostile callbacks, ${machine}`);
  onLine(
    '| callbacks | of them | slowest ms (bar 1,000) | gateway MiB more (bar 100) | idle p50 / p99 ms | next to them p50 / p99 ms | p99 ratio (bar 2) |',
  );
  onLine('|---|---|---|---|---|---|---|');
  for (const line of linesOfCallbacks(rows)) onLine(line);
}
