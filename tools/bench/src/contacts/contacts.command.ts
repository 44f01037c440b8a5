import type { BenchCall } from '../bench-call.js';
import { benchContacts, linesOf } from './contacts.bench.js';

/** `npm run bench -- contacts`: measures, and prints its table. */
export async function runContacts({ values, machine, onLine }: BenchCall): Promise<void> {
  const count = values.short ? 50_000 : Number(values.contacts);
  const rows = await benchContacts({
    contacts: count,
    requests: values.short ? 20 : Number(values.requests),
    onLine,
  });
  onLine(`\nGET /v1/contacts over ${count} contacts of one organization, one request at a time, ${machine}`);
  onLine('| question | contacts on the page | p50 ms | p95 ms | p99 ms | p50 through the first |');
  onLine('|---|---|---|---|---|---|');
  for (const line of linesOf(rows)) onLine(line);
}
