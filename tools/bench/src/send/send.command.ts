import type { BenchCall } from '../bench-call.js';
import { benchSend, type SendBenchRow } from './send.bench.js';

/** `npm run bench -- send`: measures, and prints its table. */
export async function runSend({ values, machine, onLine }: BenchCall): Promise<void> {
  const rows = await benchSend({
    connections: values.short ? [32] : values.connections.split(',').map(Number),
    rounds: values.short ? 1 : Number(values.rounds),
    roundMs: values.short ? 2_000 : Number(values.seconds) * 1_000,
    onLine,
  });
  onLine(`\nPOST /v1/messages, ${machine}`);
  onLine(
    '| connections | floor req/s | ours req/s | ratio | floor p50 / p99 ms | ours p50 / p99 ms | p99 ratio | CPU µs/request floor, ours |',
  );
  onLine('|---|---|---|---|---|---|---|---|');
  for (const row of rows) onLine(lineOf(row));
}

function lineOf({ connections, floor, ours, throughputRatio, p99Ratio }: SendBenchRow): string {
  const cells = [
    connections,
    floor.perSecond.toFixed(0),
    ours.perSecond.toFixed(0),
    throughputRatio.toFixed(2),
    `${floor.p50Ms.toFixed(1)} / ${floor.p99Ms.toFixed(1)}`,
    `${ours.p50Ms.toFixed(1)} / ${ours.p99Ms.toFixed(1)}`,
    p99Ratio.toFixed(2),
    `${floor.cpuMicros.toFixed(0)}, ${ours.cpuMicros.toFixed(0)}`,
  ];
  return `| ${cells.join(' | ')} |`;
}
