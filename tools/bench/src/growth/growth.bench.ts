import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack, type RunningStack } from '@switchboard/dev';
import { treesCpuMicros } from '../cpu.js';
import { withClient } from '../floor-process.js';
import { liftRateLimit } from '../lift-rate-limit.js';
import { fillConversations, phoneOf } from '../lists/fill-conversations.js';
import { runLoad } from '../load.js';
import { median } from '../percentile.js';
import { silenceCallbacks } from '../silence-callbacks.js';

/** How much to make, and how long to measure. */
export interface GrowthOptions {
  /** Conversations, each of a contact, in the smaller and the larger database; as many messages, and a quarter more. */
  readonly sizes: readonly [small: number, large: number];
  /** Runs of each side, alternating. */
  readonly rounds: number;
  readonly roundMs: number;
  readonly onLine: (line: string) => void;
}

/** What a message costs in a database of one size; medians of the rounds. */
export interface GrowthRow {
  readonly conversations: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  /** Of every process of its stack, servers included. */
  readonly cpuMicros: number;
}

interface Side {
  readonly conversations: number;
  readonly stack: RunningStack;
  readonly apiKey: string;
}

const CONNECTIONS = 32;
const WARM_MS = 5_000;
/** To find the same recipients in each run: parts of all contacts, by the golden ratio, so that they are spread over them. */
const STEP = 0.618_033_988_749_895;

/** Measures what a message to a known contact costs as data grows: two stacks, by turns, of which one has a hundred times as much. */
export async function benchGrowth(options: GrowthOptions): Promise<GrowthRow[]> {
  const sides: Side[] = [];
  const folders: string[] = [];
  try {
    for (const conversations of options.sizes) {
      folders.push(await mkdtemp(join(tmpdir(), 'switchboard-bench-')));
      options.onLine(`starting everything, for ${conversations} conversations`);
      const stack = await startStack({ dataDir: folders.at(-1) ?? '', port: 0, quiet: true });
      sides.push({ conversations, stack, apiKey: stack.devJson.organizations?.[0]?.apiKey ?? '' });
      await fill(stack, conversations);
    }
    return await measure(sides, options);
  } finally {
    for (const { stack } of sides) await stack.stop();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  }
}

async function measure(sides: readonly Side[], { rounds, roundMs, onLine }: GrowthOptions): Promise<GrowthRow[]> {
  onLine('warming up');
  for (const side of sides) await send(side, WARM_MS);
  const rows = sides.map(({ conversations }) => ({ conversations, runs: [] as Omit<GrowthRow, 'conversations'>[] }));
  for (let round = 1; round <= rounds; round++) {
    for (const [index, side] of sides.entries()) {
      const run = await send(side, roundMs);
      rows[index]?.runs.push(run);
      onLine(`round ${round}, ${side.conversations} conversations: ${run.cpuMicros.toFixed(0)} µs a message`);
    }
  }
  return rows.map(({ conversations, runs }) => {
    const of = (name: keyof (typeof runs)[number]): number => median(runs.map((run) => run[name]));
    return { conversations, perSecond: of('perSecond'), p50Ms: of('p50Ms'), cpuMicros: of('cpuMicros') };
  });
}

async function fill(stack: RunningStack, conversations: number): Promise<void> {
  const { databaseUrl, organizations } = stack.devJson;
  const id = organizations?.[0]?.id ?? '';
  await silenceCallbacks(stack);
  await withClient(databaseUrl ?? '', async (client) => {
    await liftRateLimit(client, id);
    await fillConversations(client, id, { conversations, messages: conversations });
    await client.query(
      `INSERT INTO messaging.contact_phone (organization_id, phone, contact_id)
       SELECT organization_id, phone, id FROM messaging.contact WHERE organization_id = $1 ON CONFLICT DO NOTHING`,
      [id],
    );
    await client.query('VACUUM ANALYZE messaging.contact_phone');
  });
}

async function send({ conversations, stack, apiKey }: Side, durationMs: number) {
  const { baseUrl, processes } = stack.devJson;
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const pids = processes.map(({ pid }) => pid);
  const before = treesCpuMicros(pids);
  let turn = 0;
  const next = () => {
    const nth = Math.floor(((turn++ * STEP) % 1) * conversations);
    // The first of its ten, whose conversation is on the channel that sends.
    const to = phoneOf(nth - (nth % 10) + 1);
    return { path: '/v1/messages', headers, body: JSON.stringify({ to, text: 'Your order has left the warehouse.' }) };
  };
  const load = await runLoad({ url: baseUrl ?? '', connections: CONNECTIONS, durationMs, next });
  if (load.failures > 0) throw new Error(`${load.failures} sends failed; the first: ${load.firstFailure}`);
  const cpuMicros = (treesCpuMicros(pids) - before) / load.requests;
  return { perSecond: load.perSecond, p50Ms: load.p50Ms, cpuMicros };
}

/** Rows of a table; each against the first. */
export function linesOfGrowth(rows: readonly GrowthRow[]): string[] {
  return rows.map(({ conversations, perSecond, p50Ms, cpuMicros }) => {
    const ratio = (cpuMicros / (rows[0]?.cpuMicros ?? cpuMicros)).toFixed(2);
    return `| ${[conversations, perSecond.toFixed(0), p50Ms.toFixed(1), cpuMicros.toFixed(0), ratio].join(' | ')} |`;
  });
}
