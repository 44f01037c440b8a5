import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack, type RunningStack } from '@switchboard/dev';
import { othersCpuMicros } from '../cpu.js';
import { defaultLineOf } from '../default-line.js';
import { runLoad } from '../load.js';
import { liftRateLimit } from '../lift-rate-limit.js';
import { messageRequest, recipients } from '../message-request.js';
import { mediansOf } from '../percentile.js';
import { silenceCallbacks } from '../silence-callbacks.js';
import { withClient } from '../with-client.js';
import { startFloor } from './floor.js';

/** How long and how wide to measure. */
export interface SendBenchOptions {
  readonly connections: readonly number[];
  /** Runs of each side, alternating. */
  readonly rounds: number;
  readonly roundMs: number;
  readonly onLine: (line: string) => void;
}

/** The medians of one row. */
export interface SendBenchRow {
  readonly connections: number;
  readonly floor: Measured;
  readonly ours: Measured;
  /** Ours through the floor's, of the medians. */
  readonly throughputRatio: number;
  readonly p99Ratio: number;
}

interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of all processes but the generator of the load. */
  readonly cpuMicros: number;
}

interface Target {
  readonly url: string;
  readonly apiKey: string;
}

const RECIPIENTS = recipients(500);

/**
 * Measures `POST /v1/messages` against the floor, in alternating runs on one machine.
 *
 * Both write the same rows in as many commits and call the same simulator; callbacks are off, they have a row of their
 * own. Ours has everything on, with 10 % of traces exported.
 */
export async function benchSend(options: SendBenchOptions): Promise<SendBenchRow[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
  const traces = await startTraceSink();
  let stack: RunningStack | undefined;
  try {
    options.onLine('starting everything');
    const endpoint = `http://127.0.0.1:${(traces.address() as AddressInfo).port}`;
    stack = await startStack({ dataDir, quiet: true, environment: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
    return await measure(stack, dataDir, options);
  } finally {
    await stack?.stop();
    traces.closeAllConnections();
    traces.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure(stack: RunningStack, dataDir: string, options: SendBenchOptions): Promise<SendBenchRow[]> {
  const { baseUrl, databaseUrl, simulatorUrl, organizations } = stack.devJson;
  const [acme] = organizations ?? [];
  if (!acme || !baseUrl || !databaseUrl || !simulatorUrl) throw new Error('the stack has no organizations');
  await silenceCallbacks(stack);
  const line = await openFlood(databaseUrl, acme.id);
  const accessToken = await tokenOf(dataDir, acme.id);
  const tenant = { organizationId: acme.id, apiKey: acme.apiKey, accessToken, phoneNumberId: line };
  const floor = await startFloor(databaseUrl, simulatorUrl, tenant, RECIPIENTS);
  try {
    const floorTarget: Target = { url: floor.url, apiKey: acme.apiKey };
    const ours: Target = { url: baseUrl, apiKey: acme.apiKey };
    options.onLine('warming up: every recipient once, then both sides');
    for (const target of [ours, floorTarget]) await load(target, 16, 4_000);
    const rows: SendBenchRow[] = [];
    for (const connections of options.connections) {
      const floors: Measured[] = [];
      const own: Measured[] = [];
      for (let round = 1; round <= options.rounds; round++) {
        floors.push(await load(floorTarget, connections, options.roundMs));
        own.push(await load(ours, connections, options.roundMs));
        const [f, o] = [floors.at(-1)?.perSecond ?? 0, own.at(-1)?.perSecond ?? 0];
        options.onLine(`${connections} connections, round ${round}: floor ${f.toFixed(0)}/s, ours ${o.toFixed(0)}/s`);
      }
      rows.push(rowOf(connections, mediansOf(floors), mediansOf(own)));
    }
    return rows;
  } finally {
    await floor.stop();
  }
}

let turn = 0;

async function load({ url, apiKey }: Target, connections: number, durationMs: number): Promise<Measured> {
  const cpuBefore = othersCpuMicros();
  const next = () => messageRequest(apiKey, RECIPIENTS[turn++ % RECIPIENTS.length]);
  const { requests, ...times } = await runLoad({ url, connections, durationMs, next });
  return { ...times, cpuMicros: (othersCpuMicros() - cpuBefore) / requests };
}

function rowOf(connections: number, floor: Measured, ours: Measured): SendBenchRow {
  const throughputRatio = ours.perSecond / floor.perSecond;
  return { connections, floor, ours, throughputRatio, p99Ratio: ours.p99Ms / floor.p99Ms };
}

/** Lifts the organization's rate limit, which is not what is measured. @returns the provider's id of its line */
function openFlood(databaseUrl: string, organizationId: string): Promise<string> {
  return withClient(databaseUrl, async (client) => {
    await liftRateLimit(client, organizationId);
    return defaultLineOf(client, organizationId);
  });
}

async function tokenOf(dataDir: string, organizationId: string): Promise<string> {
  const kept: unknown = JSON.parse(await readFile(join(dataDir, 'demo-keys.json'), 'utf8'));
  const own = (kept as { id: string; accessToken: string }[]).find(({ id }) => id === organizationId);
  if (!own) throw new Error('the organization is not in demo-keys.json');
  return own.accessToken;
}

/** Takes the exported traces and forgets them. */
async function startTraceSink(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
