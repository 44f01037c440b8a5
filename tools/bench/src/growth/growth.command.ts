import type { BenchCall } from '../bench-call.js';
import { benchGrowth, linesOfGrowth } from './growth.bench.js';

/** `npm run bench -- growth`: measures, and prints its table. */
export async function runGrowth({ values, machine, onLine }: BenchCall): Promise<void> {
  const large = values.short ? 50_000 : Number(values.conversations);
  const rows = await benchGrowth({
    sizes: [Math.max(Math.floor(large / 100), 10), large],
    rounds: values.short ? 1 : Number(values.rounds),
    roundMs: values.short ? 3_000 : Number(values.seconds) * 1_000,
    onLine,
  });
  onLine(`\nPOST /v1/messages at 32 connections as data grows, ${machine}; the bar of the ratio is 1.3`);
  onLine('| conversations | req/s | p50 ms | CPU µs a message | ratio |');
  onLine('|---|---|---|---|---|');
  for (const line of linesOfGrowth(rows)) onLine(line);
}
