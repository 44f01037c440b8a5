import type { RunningStack } from '@switchboard/dev';
import type pg from 'pg';
import { treesCpuMicros } from '../cpu.js';
import { liftRateLimit } from '../lift-rate-limit.js';
import { fillConversations, phoneOf } from '../lists/fill-conversations.js';
import { runLoad } from '../load.js';
import { messageRequest } from '../message-request.js';
import { mediansOf } from '../percentile.js';
import { silenceCallbacks } from '../silence-callbacks.js';
import { withStack } from '../with-stack.js';

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
}

const CONNECTIONS = 32;
const WARM_MS = 5_000;
/** To find the same recipients in each run: parts of all contacts, by the golden ratio, so that they are spread over them. */
const STEP = 0.618_033_988_749_895;

/** Measures what a message to a known contact costs as data grows: two stacks, by turns, of which one has a hundred times as much. */
export async function benchGrowth({ sizes, ...options }: GrowthOptions): Promise<GrowthRow[]> {
  const [small, large] = sizes;
  return withFilled(small, options, (one) => withFilled(large, options, (other) => measure([one, other], options)));
}

type Measurement = Omit<GrowthOptions, 'sizes'>;

async function withFilled<Result>(
  conversations: number,
  { onLine }: Measurement,
  work: (side: Side) => Promise<Result>,
): Promise<Result> {
  return withStack(onLine, async (stack, client) => {
    onLine(`making ${conversations} conversations`);
    await silenceCallbacks(stack);
    await fill(client, stack.devJson.organizations?.[0]?.id ?? '', conversations);
    return work({ conversations, stack });
  });
}

async function measure(sides: readonly Side[], { rounds, roundMs, onLine }: Measurement): Promise<GrowthRow[]> {
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
  return rows.map(({ conversations, runs }) => ({ conversations, ...mediansOf(runs) }));
}

async function fill(client: pg.Client, organizationId: string, conversations: number): Promise<void> {
  await liftRateLimit(client, organizationId);
  await fillConversations(client, organizationId, { conversations, messages: conversations });
  await client.query(
    `INSERT INTO messaging.contact_phone (organization_id, phone, contact_id)
     SELECT organization_id, phone, id FROM messaging.contact WHERE organization_id = $1 ON CONFLICT DO NOTHING`,
    [organizationId],
  );
  await client.query('VACUUM ANALYZE messaging.contact_phone');
}

async function send({ conversations, stack }: Side, durationMs: number): Promise<Omit<GrowthRow, 'conversations'>> {
  const { baseUrl = '', organizations, processes } = stack.devJson;
  const apiKey = organizations?.[0]?.apiKey ?? '';
  const pids = processes.map(({ pid }) => pid);
  const before = treesCpuMicros(pids);
  let turn = 0;
  const next = () => {
    const nth = Math.floor(((turn++ * STEP) % 1) * conversations);
    // The first of its ten, whose conversation is on the channel that sends.
    return messageRequest(apiKey, phoneOf(nth - (nth % 10) + 1));
  };
  const { requests, perSecond, p50Ms } = await runLoad({ url: baseUrl, connections: CONNECTIONS, durationMs, next });
  return { perSecond, p50Ms, cpuMicros: (treesCpuMicros(pids) - before) / requests };
}

/** Rows of a table; each against the first. */
export function linesOfGrowth(rows: readonly GrowthRow[]): string[] {
  return rows.map(({ conversations, perSecond, p50Ms, cpuMicros }) => {
    const ratio = (cpuMicros / (rows[0]?.cpuMicros ?? cpuMicros)).toFixed(2);
    return `| ${[conversations, perSecond.toFixed(0), p50Ms.toFixed(1), cpuMicros.toFixed(0), ratio].join(' | ')} |`;
  });
}
