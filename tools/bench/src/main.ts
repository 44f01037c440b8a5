import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchContacts, linesOf } from './contacts/contacts.bench.js';
import { benchLists, linesOfLists } from './lists/lists.bench.js';
import { benchSend, type SendBenchRow } from './send/send.bench.js';

const HELP = `usage: npm run bench -- send [--short] [--connections 1,32,128] [--rounds 5] [--seconds 6]
       npm run bench -- contacts [--short] [--contacts 1000000] [--requests 200]
       npm run bench -- lists [--short] [--conversations 1000000] [--requests 200]

  send       POST /v1/messages against a hand-tuned floor, in alternating runs
    --short    one round of 2 s at 32 connections
  contacts   GET /v1/contacts over a million contacts of one organization: pages, filters, searches
    --short    20 requests each over 50,000 contacts
  lists      conversations of one organization and messages of one conversation, page 1 and page 1,000
    --short    20 requests each over 50,000 conversations
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    connections: { type: 'string', default: '1,32,128' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
    contacts: { type: 'string', default: '1000000' },
    conversations: { type: 'string', default: '1000000' },
    requests: { type: 'string', default: '200' },
    help: { type: 'boolean', default: false },
  },
});

const benches: Readonly<Record<string, () => Promise<void>>> = { send, contacts, lists };
const bench = benches[positionals[0] ?? ''];
const machine = `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;

if (values.help || !bench) {
  onLine(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  await bench();
}

async function send(): Promise<void> {
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

async function contacts(): Promise<void> {
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

async function lists(): Promise<void> {
  const conversations = values.short ? 50_000 : Number(values.conversations);
  const pairs = await benchLists({ conversations, rounds: values.short ? 20 : Number(values.requests), onLine });
  onLine(`\nLists over ${conversations} conversations of one organization, one request at a time, ${machine}`);
  onLine('| list | items | page 1 p50 / p95 ms | page 1,000 p50 / p95 ms | ratio of p50 |');
  onLine('|---|---|---|---|---|');
  for (const line of linesOfLists(pairs)) onLine(line);
}

function onLine(line: string): void {
  process.stdout.write(`${line}\n`);
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
