import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { RunningStack } from '@switchboard/dev';
import type pg from 'pg';
import { liftRateLimit } from '../lift-rate-limit.js';
import { residentBytes } from '../memory.js';
import { median, percentile } from '../percentile.js';
import { withStack } from '../with-stack.js';
import type { CallbackAnswers, CallbackLoad } from './callbacks.worker.js';
import { OWN_CONNECTIONS, OWN_PER_SECOND, ownLatencies, RECIPIENTS } from './own-latencies.js';

/** How long to measure. */
export interface CallbacksOptions {
  /** Pairs of idle and loaded measurements of each kind of callback, alternating. */
  readonly rounds: number;
  readonly roundMs: number;
  readonly onLine: (line: string) => void;
}

/** One kind of hostile callback, and what it costs an organization that sends meanwhile; medians of the rounds. */
export interface CallbacksRow {
  readonly kind: string;
  readonly callbacks: number;
  readonly slowestMs: number;
  /** By how much the gateway's resident memory was larger than before, at most. */
  readonly mebibytesMore: number;
  readonly idle: readonly [p50Ms: number, p99Ms: number];
  readonly loaded: readonly [p50Ms: number, p99Ms: number];
  readonly p99Ratio: number;
}

const items = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

const message = (index: number) => {
  return {
    from: '16505551234',
    id: `wamid.bench.${index}`,
    timestamp: '1749416383',
    type: 'text',
    text: { body: 'a' },
  };
};
const inValue = (value: unknown) => ({ entry: [{ id: 'waba', changes: [{ field: 'messages', value }] }] });

/** Bodies of a callback each, of less than the 4 MiB that one may have; of a line that no channel has. */
const KINDS: Readonly<Record<string, unknown>> = {
  'metadata of 850 kB over 500 messages': inValue({
    metadata: { phone_number_id: '1', display_phone_number: 'x'.repeat(850_000) },
    messages: items(500, message),
  }),
  'a name of 300 kB over 150 messages': inValue({
    metadata: { phone_number_id: '1', display_phone_number: '1' },
    contacts: [{ wa_id: '16505551234', profile: { name: 'y'.repeat(300_000) } }],
    messages: items(150, message),
  }),
  '20,000 empty entries': { entry: items(20_000, () => ({})) },
};
/** One callback after the other, so often at most. */
const EVERY_MS = 1_000;

/** Measures what hostile callbacks cost an organization that sends meanwhile, on one running stack. */
export async function benchCallbacks(options: CallbacksOptions): Promise<CallbacksRow[]> {
  return withStack(options.onLine, async (stack, client, dataDir) => {
    const secrets = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>;
    return measure(stack, client, { ...options, appSecret: secrets['upstream app secret'] ?? '' });
  });
}

async function measure(
  { devJson }: RunningStack,
  client: pg.Client,
  { appSecret, ...options }: CallbacksOptions & { readonly appSecret: string },
): Promise<CallbacksRow[]> {
  const { baseUrl, organizations = [], processes } = devJson;
  const own = organizations[0];
  const gateway = processes.find(({ name }) => name === 'gateway');
  if (!baseUrl || !own || !gateway) throw new Error('the stack has no gateway or no organization');
  await liftRateLimit(client, own.id);
  const { apiKey } = own;
  const load = {
    url: baseUrl,
    apiKey,
    connections: OWN_CONNECTIONS,
    recipients: RECIPIENTS,
    perSecond: OWN_PER_SECOND,
  };
  options.onLine('warming up');
  await ownLatencies(load, 5_000);
  const rows: CallbacksRow[] = [];
  for (const [kind, callback] of Object.entries(KINDS)) {
    const idle: (readonly number[])[] = [];
    const loaded: (readonly number[])[] = [];
    const slowest: number[] = [];
    let callbacks = 0;
    let bytesMore = 0;
    for (let round = 1; round <= options.rounds; round++) {
      idle.push(await ownLatencies(load, options.roundMs));
      const before = residentBytes(gateway.pid);
      const stop = startCallbacks({ url: baseUrl, appSecret, body: JSON.stringify(callback), everyMs: EVERY_MS });
      const watched = watchMemory(gateway.pid);
      loaded.push(await ownLatencies(load, options.roundMs));
      const { latenciesMs, statuses } = await stop();
      bytesMore = Math.max(bytesMore, watched() - before);
      if (Object.keys(statuses).some((status) => status !== '200')) throw new Error(JSON.stringify(statuses));
      slowest.push(...latenciesMs);
      callbacks += latenciesMs.length;
      options.onLine(`${kind}, round ${round}: p99 ${p99(idle).toFixed(1)} ms idle, ${p99(loaded).toFixed(1)} ms`);
    }
    rows.push({
      kind,
      callbacks,
      slowestMs: Math.max(...slowest),
      mebibytesMore: bytesMore / 1024 ** 2,
      idle: [p50(idle), p99(idle)],
      loaded: [p50(loaded), p99(loaded)],
      p99Ratio: p99(loaded) / p99(idle),
    });
  }
  return rows;
}

const p50 = (rounds: readonly (readonly number[])[]): number => median(rounds.map((round) => percentile(round, 0.5)));
const p99 = (rounds: readonly (readonly number[])[]): number => median(rounds.map((round) => percentile(round, 0.99)));

function startCallbacks(load: CallbackLoad): () => Promise<CallbackAnswers> {
  const worker = new Worker(new URL('./callbacks.worker.js', import.meta.url), { workerData: load });
  return async () => {
    worker.postMessage('stop');
    const [answers] = (await once(worker, 'message')) as [CallbackAnswers];
    await worker.terminate();
    return answers;
  };
}

/** @returns ends it, with the most that was seen, looked at ten times a second */
function watchMemory(pid: number): () => number {
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, residentBytes(pid))), 100);
  return () => {
    clearInterval(timer);
    return most;
  };
}

/** Rows of a table. */
export function linesOfCallbacks(rows: readonly CallbacksRow[]): string[] {
  const times = ([p50Ms, p99Ms]: CallbacksRow['idle']): string => `${p50Ms.toFixed(1)} / ${p99Ms.toFixed(1)}`;
  return rows.map(({ kind, callbacks, slowestMs, mebibytesMore, idle, loaded, p99Ratio }) => {
    const cells = [kind, callbacks, slowestMs.toFixed(0), mebibytesMore.toFixed(0), times(idle), times(loaded)];
    return `| ${[...cells, p99Ratio.toFixed(2)].join(' | ')} |`;
  });
}
