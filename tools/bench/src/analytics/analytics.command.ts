import type { BenchCall } from '../bench-call.js';
import { benchAnalytics, linesOfAnalytics } from './analytics.bench.js';

/** `npm run bench -- analytics`: measures, and prints its table. */
export async function runAnalytics({ values, machine, onLine }: BenchCall): Promise<void> {
  const result = await benchAnalytics({
    messages: values.short ? 1_000_000 : Number(values.messages),
    rounds: values.short ? 5 : Math.min(Number(values.requests), 50),
    ingested: values.short ? 10_000 : 100_000,
    onLine,
  });
  const { events, seconds, perSecond } = result.ingested;
  onLine(
    `\nReports, one request at a time, ${machine}; load ${result.loads.map((load) => load.toFixed(1)).join(', ')}`,
  );
  onLine('| report | points | p50 / p95 ms | bar ms |');
  onLine('|---|---|---|---|');
  for (const line of linesOfAnalytics(result)) onLine(line);
  onLine(`\n${events} events taken in by one process in ${seconds.toFixed(1)} s: ${perSecond.toFixed(0)} a second`);
}
