import type { BenchCall } from '../bench-call.js';
import { linesOfBulk } from './bulk-row.js';
import { benchBulk } from './bulk.bench.js';

/** `npm run bench -- bulk`: measures, and prints its table. */
export async function runBulk({ values, machine, onLine }: BenchCall): Promise<void> {
  const rows = await benchBulk({
    recipients: Number(values.recipients),
    drained: values.short ? 2_000 : 20_000,
    jobs: values.short ? 200 : 2_000,
    rounds: values.short ? 1 : Number(values.rounds),
    roundMs: values.short ? 3_000 : Number(values.seconds) * 1_000,
    onLine,
  });
  onLine(`\nPOST /v1/templates/send, ${machine}`);
  onLine('| what | ours | against | ratio | bar |');
  onLine('|---|---|---|---|---|');
  for (const line of linesOfBulk(rows)) onLine(line);
}
