import { loadavg } from 'node:os';
import type { BenchCall } from '../bench-call.js';
import { benchConsole, linesOfConsole } from './console.bench.js';

/** `npm run bench -- console`: measures, and prints its table. */
export async function runConsole({ values, machine, onLine }: BenchCall): Promise<void> {
  const [messages, conversations] = values.short ? [1_000, 5_000] : [10_000, 100_000];
  const rows = await benchConsole({ messages, conversations, rounds: Number(values.rounds) * 4, onLine });
  onLine(
    `\nThe console in Chromium, a thread of ${messages} messages and an inbox of ${conversations} conversations, ${machine}, ` +
      `load of the machine ${loadavg()[0]?.toFixed(1)}; the bar is 100 ms to the next paint`,
  );
  onLine('| interaction | times | next paint p50 / p95 / max ms | content shown p50 / p95 ms |');
  onLine('|---|---|---|---|');
  for (const line of linesOfConsole(rows)) onLine(line);
}
