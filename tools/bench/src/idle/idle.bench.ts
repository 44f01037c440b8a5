import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { RunningStack } from '@switchboard/dev';
import type pg from 'pg';
import { treesCpuMicros } from '../cpu.js';
import { silenceCallbacks } from '../silence-callbacks.js';
import { withStack } from '../with-stack.js';
import { commitsByService, logStatements } from './commits-by-service.js';

/** How long to look, and how many sends to count. */
export interface IdleBenchOptions {
  readonly idleMs: number;
  readonly sends: number;
  /** Looks right behind the start. */
  readonly isShort: boolean;
  readonly onLine: (line: string) => void;
}

/** What everything costs that `npm start` runs. */
export interface IdleBenchResult {
  readonly commitsPerSecond: number;
  /** Percent of one core, by process. */
  readonly cpuPercent: ReadonlyMap<string, number>;
  /** Beyond those of the idle time: of a send that is alone for 3 s, until its events have been consumed, by service. */
  readonly commitsPerSend: ReadonlyMap<string, number>;
}

interface Commits {
  readonly commits: number;
  readonly ms: number;
}

/** Before anything is measured: caches fill, partitions are made, the seed's events are consumed. */
const SETTLE_MS = 10_000;
/** Before the CPU is: what V8 compiles and collects behind a start takes up to a fifth of it. */
const REST_MS = 60_000;
const ALONE_MS = 3_000;
/** What a backend has counted is shown so much later at most. Source: PostgreSQL manual, "Viewing Statistics". */
const STATISTICS_DELAY_MS = 1_100;

/** Measures what runs and has nothing to do, then single sends far apart; callbacks are off. */
export async function benchIdle(options: IdleBenchOptions): Promise<IdleBenchResult> {
  return withStack(options.onLine, (stack, client, dataDir) =>
    measure(stack, client, join(dataDir, 'logs', 'postgres.log'), options),
  );
}

async function measure(
  stack: RunningStack,
  client: pg.Client,
  logFile: string,
  options: IdleBenchOptions,
): Promise<IdleBenchResult> {
  const { processes } = stack.devJson;
  await silenceCallbacks(stack);
  await settle(stack);
  if (!options.isShort) await wait(REST_MS);
  options.onLine(`looking for ${options.idleMs / 1_000} s`);
  const cpu = (): Map<string, number> => new Map(processes.map(({ name, pid }) => [name, treesCpuMicros([pid])]));
  const [cpuBefore, startedMs] = [cpu(), performance.now()];
  const idle = await commitsDuring(client, () => wait(options.idleMs));
  const elapsedMs = performance.now() - startedMs;
  const cpuAfter = cpu();
  const percent = (name: string): number => ((cpuAfter.get(name) ?? 0) - (cpuBefore.get(name) ?? 0)) / elapsedMs / 10;
  const cpuPercent = new Map(processes.map(({ name }) => [name, percent(name)]));
  const { sends, onLine } = options;
  await logStatements(client);
  await settle(stack);
  onLine(`${sends} times ${ALONE_MS / 1_000} s without a send, then with one each`);
  const without = await commitsByService(logFile, () => wait(sends * ALONE_MS));
  const withSends = await commitsByService(logFile, async () => {
    for (let n = 0; n < sends; n++) await Promise.all([send(stack), wait(ALONE_MS)]);
  });
  const services = [...withSends.commits.keys()].toSorted();
  const beyond = (name: string): number =>
    (withSends.commits.get(name) ?? 0) - ((without.commits.get(name) ?? 0) / without.ms) * withSends.ms;
  return {
    commitsPerSecond: (idle.commits / idle.ms) * 1_000,
    cpuPercent,
    commitsPerSend: new Map(services.map((name) => [name, beyond(name) / sends])),
  };
}

/** The first send of a recipient opens a conversation, and every statement is prepared. */
async function settle(stack: RunningStack): Promise<void> {
  for (let warm = 0; warm < 3; warm++) await send(stack);
  await wait(SETTLE_MS);
}

/** Transactions of the whole server that ended during the work, and the time in between; the two questions are not counted. */
async function commitsDuring(client: pg.Client, work: () => Promise<unknown>): Promise<Commits> {
  const count = async (): Promise<Commits> => {
    await wait(STATISTICS_DELAY_MS);
    const { rows } = await client.query<{ n: number }>(
      'SELECT sum(xact_commit + xact_rollback)::int AS n FROM pg_stat_database',
    );
    return { commits: rows[0]?.n ?? 0, ms: performance.now() };
  };
  const before = await count();
  await work();
  const after = await count();
  return { commits: after.commits - before.commits - 1, ms: after.ms - before.ms };
}

async function send({ devJson: { baseUrl, organizations } }: RunningStack): Promise<void> {
  const [acme] = organizations ?? [];
  if (!acme) throw new Error('the stack has no organizations');
  const headers = { authorization: `Bearer ${acme.apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ to: '+14155551000', text: 'Your order has left the warehouse.' });
  const answer = await fetch(`${baseUrl}/v1/messages`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`a send was answered ${answer.status}: ${await answer.text()}`);
  await answer.text();
}
