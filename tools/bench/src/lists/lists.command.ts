import type { BenchCall } from '../bench-call.js';
import { benchLists, linesOfLists } from './lists.bench.js';

/** `npm run bench -- lists`: measures, and prints its table. */
export async function runLists({ values, machine, onLine }: BenchCall): Promise<void> {
  const conversations = values.short ? 50_000 : Number(values.conversations);
  const pairs = await benchLists({ conversations, rounds: values.short ? 20 : Number(values.requests), onLine });
  onLine(`\nLists over ${conversations} conversations of one organization, one request at a time, ${machine}`);
  onLine('| list | items | page 1 p50 / p95 ms | page 1,000 p50 / p95 ms | ratio of p50 |');
  onLine('|---|---|---|---|---|');
  for (const line of linesOfLists(pairs)) onLine(line);
}
