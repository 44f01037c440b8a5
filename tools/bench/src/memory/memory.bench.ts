import { setTimeout as wait } from 'node:timers/promises';
import { serviceNames as names } from '@switchboard/contracts/topology';
import type { RunningStack } from '@switchboard/dev';
import { liftRateLimit } from '../lift-rate-limit.js';
import { runLoad } from '../load.js';
import { residentBytes } from '../memory.js';
import { messageRequest, recipientOf } from '../message-request.js';
import { Customers } from '../webhooks/customers.js';
import { startReceiver } from '../webhooks/receiver.js';
import { withStack } from '../with-stack.js';

/** How long to look. */
export interface MemoryOptions {
  /** Behind the start, before it is called idle. */
  readonly restMs: number;
  readonly loadMs: number;
  readonly onLine: (line: string) => void;
}

/** Resident memory of a process in bytes. */
export interface MemoryRow {
  readonly name: string;
  readonly idle: number;
  /** The most that was seen while the load lasted. */
  readonly loaded: number;
}

/** The services' processes, and the sum of them: the most that they had at one moment. */
export interface MemoryResult {
  readonly rows: readonly MemoryRow[];
  readonly idle: number;
  readonly loaded: number;
  readonly sentPerSecond: number;
}

const CONNECTIONS = 32;
const RECIPIENTS = 500;
const SAMPLE_MS = 100;

/** Measures the memory of all services: idle, then while messages are sent at 32 connections, with callbacks and a webhook for each event. */
export async function benchMemory(options: MemoryOptions): Promise<MemoryResult> {
  return withStack(options.onLine, async (stack, client) => {
    const { baseUrl, natsUrl, organizations, processes } = stack.devJson;
    const [acme] = organizations ?? [];
    if (!acme || !baseUrl || !natsUrl) throw new Error('the stack has no organizations');
    const services = processes.filter(({ name }) => names.some((service) => service === name));
    await liftRateLimit(client, acme.id);
    await wait(options.restMs);
    const idle = sampleOf(services);
    const receiver = await startReceiver();
    const customers = await Customers.connect(natsUrl);
    try {
      await customers.register(acme.id, `${receiver.url}/memory`, 'message.sent');
      const samples = [idle];
      const timer = setInterval(() => samples.push(sampleOf(services)), SAMPLE_MS);
      options.onLine(`sending for ${options.loadMs / 1_000} s`);
      const sentPerSecond = await send(baseUrl, acme.apiKey, options.loadMs).finally(() => clearInterval(timer));
      const most = (name: string): number => Math.max(...samples.map((sample) => sample.get(name) ?? 0));
      const rows = services.map(({ name }) => ({ name, idle: idle.get(name) ?? 0, loaded: most(name) }));
      return { rows, idle: sumOf(idle), loaded: Math.max(...samples.map(sumOf)), sentPerSecond };
    } finally {
      await customers.close();
      await receiver.stop();
    }
  });
}

type Sample = ReadonlyMap<string, number>;

function sampleOf(services: RunningStack['devJson']['processes']): Sample {
  return new Map(services.map(({ name, pid }) => [name, residentBytes(pid)]));
}

function sumOf(sample: Sample): number {
  return [...sample.values()].reduce((sum, bytes) => sum + bytes, 0);
}

async function send(url: string, apiKey: string, durationMs: number): Promise<number> {
  let turn = 0;
  const next = () => messageRequest(apiKey, recipientOf(turn++ % RECIPIENTS));
  return (await runLoad({ url, connections: CONNECTIONS, durationMs, next })).perSecond;
}

/** Rows of a table. */
export function linesOfMemory({ rows, idle, loaded }: MemoryResult): string[] {
  const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(0);
  const all = [...rows, { name: 'all (bars 900 and 1,800)', idle, loaded }];
  return all.map((row) => `| ${row.name} | ${megabytes(row.idle)} | ${megabytes(row.loaded)} |`);
}
