import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startStack, type RunningStack } from '@switchboard/dev';
import pg from 'pg';
import { liftRateLimit } from '../lift-rate-limit.js';
import { median, percentile } from '../percentile.js';
import { OWN_CONNECTIONS, OWN_PER_SECOND, ownLatencies, RECIPIENTS } from './own-latencies.js';
import type { PacedLoadOptions } from './paced-load.js';

/** How long to measure, and what. */
export interface FairnessOptions {
  /** Rate limits of the organization that floods, in requests a minute; the burst is the same. */
  readonly limits: readonly number[];
  /** Pairs of idle and flooded measurements, alternating. */
  readonly rounds: number;
  readonly roundMs: number;
  readonly onLine: (line: string) => void;
}

/** One row: the other organization's sends, idle and under the flood; medians of the rounds. */
export interface FairnessRow {
  readonly requestsPerMinute: number;
  /** Requests of the flood a second, as answered, and the share of them that was 429. */
  readonly floodPerSecond: number;
  readonly limitedShare: number;
  readonly idle: Latency;
  readonly flooded: Latency;
  readonly p99Ratio: number;
}

interface Latency {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** How many times its own limit the flood asks for. */
const TIMES = 50;
const FLOOD_CONNECTIONS = 64;
/** The burst is a minute's requests, which the flood makes in 1.2 s where nothing holds it up; it is sent like any others. */
const BURST_MS = 6_000;
const SETTLE_MS = 1_000;

/** Measures what an organization's flood costs another, in alternating rounds on one running stack. */
export async function benchFairness(options: FairnessOptions): Promise<FairnessRow[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
  let stack: RunningStack | undefined;
  try {
    options.onLine('starting everything');
    stack = await startStack({ dataDir, quiet: true });
    return await measure(stack, options);
  } finally {
    await stack?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure({ devJson }: RunningStack, options: FairnessOptions): Promise<FairnessRow[]> {
  const { baseUrl, databaseUrl, organizations = [] } = devJson;
  const [loud, , quiet] = organizations;
  if (!baseUrl || !loud || !quiet) throw new Error('the stack has no organizations');
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await liftRateLimit(database, quiet.id);
    const own = { url: baseUrl, apiKey: quiet.apiKey, connections: OWN_CONNECTIONS, recipients: RECIPIENTS };
    const flood = { url: baseUrl, apiKey: loud.apiKey, connections: FLOOD_CONNECTIONS, recipients: RECIPIENTS };
    options.onLine('warming up');
    await ownLatencies({ ...own, perSecond: OWN_PER_SECOND * 2 }, 5_000);
    const rows: FairnessRow[] = [];
    for (const requestsPerMinute of options.limits) {
      const perSecond = (requestsPerMinute / 60) * TIMES;
      const idle: (readonly number[])[] = [];
      const flooded: (readonly number[])[] = [];
      const statuses: Record<number, number> = {};
      await limit(database, loud.id, requestsPerMinute);
      options.onLine(`${requestsPerMinute}/min: spending the burst`);
      const stopBurst = startFlood({ ...flood, perSecond });
      await wait(BURST_MS);
      await stopBurst();
      for (let round = 1; round <= options.rounds; round++) {
        const quietly = await ownLatencies({ ...own, perSecond: OWN_PER_SECOND }, options.roundMs);
        const stopFlood = startFlood({ ...flood, perSecond });
        // What its rate gave back meanwhile is spent, and its connections stand.
        await wait(SETTLE_MS);
        const loudly = await ownLatencies({ ...own, perSecond: OWN_PER_SECOND }, options.roundMs);
        for (const [status, count] of Object.entries(await stopFlood())) {
          statuses[Number(status)] = (statuses[Number(status)] ?? 0) + count;
        }
        idle.push(quietly);
        flooded.push(loudly);
        const [calm, under] = [percentile(quietly, 0.99), percentile(loudly, 0.99)];
        options.onLine(
          `${requestsPerMinute}/min, round ${round}: p99 ${calm.toFixed(1)} ms idle, ${under.toFixed(1)} ms flooded`,
        );
      }
      rows.push(
        rowOf(requestsPerMinute, idle, flooded, statuses, (options.rounds * (options.roundMs + SETTLE_MS)) / 1_000),
      );
    }
    return rows;
  } finally {
    await database.end();
  }
}

/** @returns ends it; resolves to the counts of its answers by status */
function startFlood(options: PacedLoadOptions): () => Promise<Record<string, number>> {
  const worker = new Worker(new URL('./flood.worker.js', import.meta.url), { workerData: options });
  return async () => {
    worker.postMessage('stop');
    const [statuses] = (await once(worker, 'message')) as [Record<string, number>];
    await worker.terminate();
    return statuses;
  };
}

async function limit(database: pg.Client, organizationId: string, requestsPerMinute: number): Promise<void> {
  await database.query('UPDATE gateway.organization SET requests_per_minute = $2, request_burst = $2 WHERE id = $1', [
    organizationId,
    requestsPerMinute,
  ]);
  await database.query('DELETE FROM gateway.rate_limit WHERE organization_id = $1', [organizationId]);
}

function rowOf(
  requestsPerMinute: number,
  idle: readonly (readonly number[])[],
  flooded: readonly (readonly number[])[],
  statuses: Readonly<Record<number, number>>,
  seconds: number,
): FairnessRow {
  const latency = (rounds: readonly (readonly number[])[]): Latency => ({
    requests: rounds.reduce((sum, { length }) => sum + length, 0),
    p50Ms: median(rounds.map((round) => percentile(round, 0.5))),
    p99Ms: median(rounds.map((round) => percentile(round, 0.99))),
  });
  const answered = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const [calm, under] = [latency(idle), latency(flooded)];
  return {
    requestsPerMinute,
    floodPerSecond: answered / seconds,
    limitedShare: (statuses[429] ?? 0) / Math.max(1, answered),
    idle: calm,
    flooded: under,
    p99Ratio: under.p99Ms / calm.p99Ms,
  };
}

/** Rows of a table. */
export function linesOfFairness(rows: readonly FairnessRow[]): string[] {
  const times = ({ p50Ms, p99Ms }: Latency): string => `${p50Ms.toFixed(1)} / ${p99Ms.toFixed(1)}`;
  return rows.map(({ requestsPerMinute, floodPerSecond, limitedShare, idle, flooded, p99Ratio }) => {
    const cells = [
      requestsPerMinute,
      floodPerSecond.toFixed(0),
      `${(limitedShare * 100).toFixed(0)} %`,
      flooded.requests,
      times(idle),
      times(flooded),
      p99Ratio.toFixed(2),
    ];
    return `| ${cells.join(' | ')} |`;
  });
}
