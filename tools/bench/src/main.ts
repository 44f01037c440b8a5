import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { BenchCall } from './bench-call.js';
import { runAdmission } from './admission/admission.command.js';
import { runAnalytics } from './analytics/analytics.command.js';
import { runBulk } from './bulk/bulk.command.js';
import { runConsole } from './console/console.command.js';
import { runContacts } from './contacts/contacts.command.js';
import { runCallbacks } from './fairness/callbacks.command.js';
import { runFairness } from './fairness/fairness.command.js';
import { runGrowth } from './growth/growth.command.js';
import { runIdle } from './idle/idle.command.js';
import { runIntake } from './intake/intake.command.js';
import { runLists } from './lists/lists.command.js';
import { runMemory } from './memory/memory.command.js';
import { runSend } from './send/send.command.js';
import { runSnapshot } from './snapshot/snapshot.command.js';
import { WEBHOOKS_PARTS } from './webhooks/webhooks.bench.js';
import { runWebhooks } from './webhooks/webhooks.command.js';

const HELP = `usage: npm run bench -- send [--short] [--connections 1,32,128] [--rounds 5] [--seconds 6]
       npm run bench -- contacts [--short] [--contacts 1000000] [--requests 200]
       npm run bench -- lists [--short] [--conversations 1000000] [--requests 200]
       npm run bench -- admission [--short] [--rounds 5] [--seconds 6]
       npm run bench -- fairness [--short] [--limits 300,1200] [--rounds 5] [--seconds 6]
       npm run bench -- callbacks [--short] [--rounds 5] [--seconds 6]
       npm run bench -- intake [--short] [--rounds 5] [--seconds 6]
       npm run bench -- bulk [--short] [--recipients 100000] [--rounds 5] [--seconds 6]
       npm run bench -- webhooks [--short] [--parts bad,turning] [--events 20000] [--rounds 5] [--seconds 6]
       npm run bench -- idle [--short] [--seconds 20]
       npm run bench -- analytics [--short] [--messages 10000000] [--requests 50]
       npm run bench -- console [--short] [--rounds 5]
       npm run bench -- snapshot [--short] [--behind 1000000]
       npm run bench -- growth [--short] [--conversations 1000000] [--rounds 5] [--seconds 6]
       npm run bench -- memory [--short] [--seconds 30]

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
  intake     callbacks taken in a second, against a hand-tuned floor, in alternating runs
    --short    one round of 2 s of each kind
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
  growth     CPU of a message in a database of a million conversations, against one of a hundredth, in alternating runs
    --short    50,000 conversations against 500, one round of 3 s
  memory     of every service, idle and while messages are sent at 32 connections
    --short    5 s each
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

const benches: Readonly<Record<string, (call: BenchCall) => Promise<void>>> = {
  send: runSend,
  contacts: runContacts,
  lists: runLists,
  admission: runAdmission,
  fairness: runFairness,
  callbacks: runCallbacks,
  intake: runIntake,
  bulk: runBulk,
  webhooks: runWebhooks,
  idle: runIdle,
  analytics: runAnalytics,
  console: runConsole,
  snapshot: runSnapshot,
  growth: runGrowth,
  memory: runMemory,
};
const bench = benches[positionals[0] ?? ''];
const machine = `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;

if (values.help || !bench) {
  onLine(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  await bench({ values, machine, onLine });
}

function onLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
