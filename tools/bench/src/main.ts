import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { benchAdmission, linesOfAdmission } from './admission/admission.bench.js';
import { benchAnalytics, linesOfAnalytics } from './analytics/analytics.bench.js';
import { benchBulk } from './bulk/bulk.bench.js';
import { linesOfBulk } from './bulk/bulk-row.js';
import { benchConsole, linesOfConsole } from './console/console.bench.js';
import { benchContacts, linesOf } from './contacts/contacts.bench.js';
import { benchCallbacks, linesOfCallbacks } from './fairness/callbacks.bench.js';
import { benchFairness, linesOfFairness } from './fairness/fairness.bench.js';
import { benchIdle } from './idle/idle.bench.js';
import { benchLists, linesOfLists } from './lists/lists.bench.js';
import { benchSend, type SendBenchRow } from './send/send.bench.js';
import { benchSnapshot, linesOfSnapshot } from './snapshot/snapshot.bench.js';
import { benchWebhooks, WEBHOOKS_PARTS, type WebhooksPart } from './webhooks/webhooks.bench.js';

const HELP = `usage: npm run bench -- send [--short] [--connections 1,32,128] [--rounds 5] [--seconds 6]
       npm run bench -- contacts [--short] [--contacts 1000000] [--requests 200]
       npm run bench -- lists [--short] [--conversations 1000000] [--requests 200]
       npm run bench -- admission [--short] [--rounds 5] [--seconds 6]
       npm run bench -- fairness [--short] [--limits 300,1200] [--rounds 5] [--seconds 6]
       npm run bench -- callbacks [--short] [--rounds 5] [--seconds 6]
       npm run bench -- bulk [--short] [--recipients 100000] [--rounds 5] [--seconds 6]
       npm run bench -- webhooks [--short] [--parts bad,turning] [--events 20000] [--rounds 5] [--seconds 6]
       npm run bench -- idle [--short] [--seconds 20]
       npm run bench -- analytics [--short] [--messages 10000000] [--requests 50]
       npm run bench -- console [--short] [--rounds 5]
       npm run bench -- snapshot [--short] [--behind 1000000]

  send       POST /v1/messages against a hand-tuned floor, in alternating runs
    --short    one round of 2 s at 32 connections
  contacts   GET /v1/contacts over a million contacts of one organization: pages, filters, searches
    --short    20 requests each over 50,000 contacts
  lists      conversations of one organization and messages of one conversation, page 1 and page 1,000
    --short    20 requests each over 50,000 conversations
  admission  CPU of key, rate, scope and plan at 32 connections: a route with a key against one without
    --short    two rounds of 3 s
  fairness   sends of one organization while another floods at 50 times its limit, against the same without the flood
    --short    two rounds of 4 s at the first limit
  callbacks  sends of one organization next to callbacks that are made to cost much
    --short    one round of 4 s of each kind
  bulk       bulk sends: memory of ten large bodies, the 202, draining, and what runs next to a job and next to many
    --short    one round of 3 s; 2,000 recipients to drain
  webhooks   deliveries to one receiver against a bare loop, latency, an event for each of 500 webhooks, a healthy receiver
             next to others that hang, misbehave or turn, and a new one next to some that have failed
    --parts    some of light, many, sends, spread, bad, turning, newcomers; all of them take more than half an hour
    --short    one round of 2,000 events and 3 s; 100 webhooks of one event
  idle       commits and CPU of everything that npm start runs, without work; commits of a single send
    --short    10 s and 4 sends
  analytics  reports of an organization with 10 million messages in 30 days, and events taken in by one process
    --short    a million messages, 5 requests each; 40,000 events
  console    from a click or a key to the next paint, in a thread of 10,000 messages and an inbox of 100,000 conversations
    --short    a thread of 1,000 and an inbox of 5,000
  snapshot   a poll of the relay behind an open snapshot under which a million events were published
    --short    50,000 events
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
    events: { type: 'string', default: '20000' },
    parts: { type: 'string', default: WEBHOOKS_PARTS.join(',') },
    behind: { type: 'string', default: '1000000' },
    recipients: { type: 'string', default: '100000' },
    messages: { type: 'string', default: '10000000' },
    limits: { type: 'string', default: '300,1200' },
    requests: { type: 'string', default: '200' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const benches: Readonly<Record<string, () => Promise<void>>> = {
  send,
  contacts,
  lists,
  admission,
  fairness,
  callbacks,
  bulk,
  webhooks,
  idle,
  analytics,
  console: inBrowser,
  snapshot,
};
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

async function admission(): Promise<void> {
  const row = await benchAdmission({
    connections: 32,
    rounds: values.short ? 2 : Number(values.rounds),
    roundMs: values.short ? 3_000 : Number(values.seconds) * 1_000,
    onLine,
  });
  onLine(`\nAdmission, ${machine}`);
  onLine('| route | connections | req/s | p99 ms | gateway µs | postgres µs | admission µs |');
  onLine('|---|---|---|---|---|---|---|');
  for (const line of linesOfAdmission(row)) onLine(line);
}

async function fairness(): Promise<void> {
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

async function callbacks(): Promise<void> {
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

async function bulk(): Promise<void> {
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

async function webhooks(): Promise<void> {
  const isPart = (text: string): text is WebhooksPart => WEBHOOKS_PARTS.some((part) => part === text);
  const parts = values.parts.split(',');
  if (!parts.every(isPart)) {
    onLine(`--parts is some of ${WEBHOOKS_PARTS.join(', ')}, with commas between, and not ${values.parts}`);
    process.exitCode = 2;
    return;
  }
  const lines = await benchWebhooks({
    parts: new Set(parts),
    events: values.short ? 2_000 : Number(values.events),
    rounds: values.short ? 1 : Number(values.rounds),
    roundMs: values.short ? 3_000 : Math.max(Number(values.seconds), 20) * 1_000,
    spread: values.short ? 100 : 500,
    onLine,
  });
  onLine(`\nWebhooks, ${machine}, load of the machine ${loadavg()[0]?.toFixed(1)}`);
  onLine('| what | ours | against | ratio | bar |');
  onLine('|---|---|---|---|---|');
  for (const line of lines) onLine(line);
}

async function idle(): Promise<void> {
  const result = await benchIdle({
    idleMs: values.short ? 10_000 : Math.max(Number(values.seconds), 20) * 1_000,
    sends: values.short ? 4 : 20,
    isShort: values.short,
    onLine,
  });
  const cpu = [...result.cpuPercent].map(([name, percent]) => `${name} ${percent.toFixed(2)}`);
  const commits = [...result.commitsPerSend];
  const total = [...result.cpuPercent.values()].reduce((sum, percent) => sum + percent, 0);
  onLine(`\nEverything that npm start runs, without work, ${machine}`);
  onLine('| commits/s | CPU, % of a core | by process | commits of a single send |');
  onLine('|---|---|---|---|');
  const cells = [
    result.commitsPerSecond.toFixed(1),
    total.toFixed(2),
    cpu.join(', '),
    commits.map(([name, number]) => `${name} ${number.toFixed(1)}`).join(', '),
  ];
  onLine(`| ${cells.join(' | ')} |`);
}

async function analytics(): Promise<void> {
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

async function inBrowser(): Promise<void> {
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

async function snapshot(): Promise<void> {
  const events = values.short ? 50_000 : Number(values.behind);
  const result = await benchSnapshot({ events, onLine });
  onLine(`\nA poll of the relay, ${events} events published behind an open snapshot, ${machine}; the bar is 2`);
  onLine('| poll | median ms | ratio | pages | ratio |');
  onLine('|---|---|---|---|---|');
  for (const line of linesOfSnapshot(result)) onLine(line);
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
