import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { RunningStack } from '@switchboard/dev';
import { treesCpuMicros } from '../cpu.js';
import { residentBytes } from '../memory.js';
import { percentile } from '../percentile.js';
import { withStack } from '../with-stack.js';
import type { BareLoopOptions } from './bare-loop.worker.js';
import { Customers, exampleBody } from './customers.js';
import { Isolation, linesOfIsolation, nameOf, type BadRow } from './isolation.js';
import { linesOfNewcomers, Newcomers, type NewcomersRow } from './newcomers.js';
import { latenciesOf, lineOf, now, PER_SECOND, publishPaced, type Latencies, type OneReceiver } from './paced.js';
import { startReceiver, type Receiver } from './receiver.js';
import { sendPaced } from './sends.js';
import { linesOfSpread, Spread, type SpreadRow } from './spread.js';
import { linesOfTurning, Turning, type TurningRow } from './turning.js';

/** How much to measure. */
export interface WebhooksBenchOptions {
  /** Events to one receiver, in each round. */
  readonly events: number;
  readonly rounds: number;
  /** How long each load of single events lasts. */
  readonly roundMs: number;
  /** Webhooks that get an event each. */
  readonly spread: number;
  readonly onLine: (line: string) => void;
}

/** What came of it. */
export interface WebhooksBench {
  readonly rounds: readonly Throughput[];
  readonly light: Latencies;
  /** From the answer to a send to the arrival of its event. */
  readonly lightByApi: Latencies;
  readonly spread: SpreadRow;
  readonly bad: readonly BadRow[];
  readonly turning: TurningRow;
  readonly newcomers: readonly NewcomersRow[];
  /** Memory of the webhooks process before and after all of it. */
  readonly memoryMb: { readonly before: number; readonly most: number };
}

/** A round of many events to one receiver. */
export interface Throughput {
  /** The same signed requests by a loop over undici alone. */
  readonly barePerSecond: number;
  /** From the first publication to the last arrival. */
  readonly perSecond: number;
  /** The same events once more by a replay, from the first arrival to the last: what is stored already, and only attempted. */
  readonly attemptsPerSecond: number;
  /** CPU of every process of the stack, servers included. */
  readonly cpuSecondsPer1000: number;
}

/** As many requests at once as one webhook has at most. */
const CONNECTIONS = 64;
/** Rounds of each row that has receivers of its own. */
const ROUNDS_MAX = 3;
/** Length of those next to receivers that misbehave: requests that hang end after ten seconds. */
const ISOLATION_ROUND_FACTOR = 2.5;
/** What is freed when the receivers that misbehave are gone counts too. */
const MEMORY_SAMPLE_MS = 100;
const WARM_SENDS_MS = 3_000;
const ARRIVAL_DEADLINE_MS = 300_000;

/** Measures deliveries on one running stack, with events as messaging's outbox publishes them. */
export async function benchWebhooks(options: WebhooksBenchOptions): Promise<WebhooksBench> {
  return withStack(options.onLine, async (stack) => {
    // Apart from the one that notes arrivals: what floods keeps its own thread busy.
    const [receiver, misbehaving] = [await startReceiver(), await startReceiver()];
    const customers = await Customers.connect(stack.devJson.natsUrl);
    try {
      return await new Measurement(stack, customers, receiver, misbehaving, options).all();
    } finally {
      await customers.close();
      await Promise.all([receiver.stop(), misbehaving.stop()]);
    }
  });
}

class Measurement {
  constructor(
    private readonly stack: RunningStack,
    private readonly customers: Customers,
    private readonly receiver: Receiver,
    private readonly misbehaving: Receiver,
    private readonly options: WebhooksBenchOptions,
  ) {}

  async all(): Promise<WebhooksBench> {
    const { events, rounds, roundMs, onLine } = this.options;
    const many = await this.newReceiver('/many');
    await this.deliverMany(many, Math.min(events, 2_000));
    const light = latenciesOf(
      await publishPaced(this.customers, await this.newReceiver('/light'), this.receiver, roundMs),
    );
    const lightByApi = latenciesOf(await this.sendLight());
    onLine(`light load by the API: p50 ${lightByApi.p50Ms.toFixed(1)} ms, p99 ${lightByApi.p99Ms.toFixed(1)} ms`);
    onLine(`light load: p50 ${light.p50Ms.toFixed(1)} ms, p99 ${light.p99Ms.toFixed(1)} ms`);
    const through: Throughput[] = [];
    for (let round = 1; round <= rounds; round++) {
      const barePerSecond = await this.bareLoop(many.secret, events);
      const ours = await this.deliverMany(many, events);
      const attemptsPerSecond = await this.replay(many, ours.publishedSince, events);
      through.push({ barePerSecond, attemptsPerSecond, ...ours });
      const perSecond = [barePerSecond, ours.perSecond, attemptsPerSecond].map((rate) => `${rate.toFixed(0)}/s`);
      onLine(`round ${round}: bare ${perSecond[0]}, ours ${perSecond[1]}, attempts of a replay ${perSecond[2]}`);
    }
    const spread = await this.spread(many);
    linesOfSpread(spread).forEach(onLine);
    const healthy = await this.newReceiver('/healthy');
    const before = this.memoryMb();
    let most = before;
    const sampler = setInterval(() => (most = Math.max(most, this.memoryMb())), MEMORY_SAMPLE_MS);
    try {
      const others = await this.nextToOthers(healthy);
      return { rounds: through, light, lightByApi, spread, ...others, memoryMb: { before, most } };
    } finally {
      clearInterval(sampler);
    }
  }

  private spread(one: OneReceiver): Promise<SpreadRow> {
    const bareLoop = (requests: number): Promise<number> => this.bareLoop(one.secret, requests);
    const spread = new Spread(this.customers, this.receiver, one, bareLoop);
    return spread.row({ webhooks: this.options.spread, rounds: Math.min(this.options.rounds, ROUNDS_MAX) });
  }

  /** What one receiver has of others that misbehave, turn, or have failed before it came. */
  private async nextToOthers(healthy: OneReceiver): Promise<Pick<WebhooksBench, 'bad' | 'turning' | 'newcomers'>> {
    const { customers, receiver, misbehaving } = this;
    const { roundMs, onLine } = this.options;
    const rounds = Math.min(this.options.rounds, ROUNDS_MAX);
    const bad = await new Isolation(customers, healthy, receiver, misbehaving.url).rows({
      rounds,
      roundMs: roundMs * ISOLATION_ROUND_FACTOR,
      onRow: (row) => onLine(`${nameOf(row)}: p99 ${row.p99Ms.toFixed(1)} ms, alone ${row.alone.p99Ms.toFixed(1)} ms`),
    });
    const turning = await new Turning(customers, healthy, receiver).row({ rounds, roundMs });
    linesOfTurning(turning).forEach(onLine);
    const newcomers = await new Newcomers(customers, receiver, misbehaving.url).rows({
      rounds,
      roundMs,
      onRow: (row) => linesOfNewcomers([row]).forEach(onLine),
    });
    return { bad, turning, newcomers };
  }

  private async sendLight(): Promise<readonly number[]> {
    const { baseUrl, organizations } = this.stack.devJson;
    const [organization] = organizations ?? [];
    if (!organization || baseUrl === undefined) throw new Error('the stack has no gateway or organization');
    const measured = async (path: string, lengthMs: number): Promise<readonly number[]> => {
      const webhook = await this.customers.register(organization.id, this.receiver.url + path, 'message.sent');
      const latenciesMs = await sendPaced({ baseUrl, organization, receiver: this.receiver, path, lengthMs });
      await this.customers.remove(webhook);
      return latenciesMs;
    };
    // New recipients are learnt, and statements prepared.
    await measured('/warm-by-api', WARM_SENDS_MS);
    return measured('/light-by-api', this.options.roundMs);
  }

  private memoryMb(): number {
    const pid = this.stack.devJson.processes.find(({ name }) => name === 'webhooks')?.pid ?? 0;
    return residentBytes(pid) / 1024 / 1024;
  }

  private async newReceiver(path: string): Promise<OneReceiver> {
    return { path, ...(await this.customers.register(newCuid(), this.receiver.url + path)) };
  }

  private async deliverMany(
    to: OneReceiver,
    count: number,
  ): Promise<Pick<Throughput, 'perSecond' | 'cpuSecondsPer1000'> & { readonly publishedSince: Date }> {
    const pids = this.stack.devJson.processes.map(({ pid }) => pid);
    const cpuBefore = treesCpuMicros(pids);
    const startedMs = now();
    const ids = await this.customers.publishMany(to.organizationId, count);
    const arrived = await this.untilArrived(to.path, ids);
    const lastMs = Math.max(...ids.map((id) => arrived.get(id) ?? Infinity));
    const cpuMicros = treesCpuMicros(pids) - cpuBefore;
    const perSecond = (count / (lastMs - startedMs)) * 1_000;
    return { perSecond, cpuSecondsPer1000: cpuMicros / 1_000 / count, publishedSince: new Date(startedMs) };
  }

  /** Events of `deliverMany` once more. @returns attempts a second */
  private async replay(to: OneReceiver, since: Date, count: number): Promise<number> {
    const replayed = await this.customers.replay(to, since);
    if (replayed !== count) throw new Error(`a replay of ${replayed} events, not of ${count}`);
    const atMs: number[] = [];
    for (const deadlineMs = now() + ARRIVAL_DEADLINE_MS; atMs.length < count; await wait(100)) {
      atMs.push(...(await this.receiver.newArrivals(to.path)).values());
      if (now() > deadlineMs) throw new Error(`events of a replay did not arrive at ${to.path}`);
    }
    return ((count - 1) / (Math.max(...atMs) - Math.min(...atMs))) * 1_000;
  }

  /** @throws Error when one does not arrive: no number would stand for that */
  private async untilArrived(path: string, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const arrived = new Map<string, number>();
    const missing = new Set(ids);
    for (const deadlineMs = now() + ARRIVAL_DEADLINE_MS; now() < deadlineMs; await wait(100)) {
      for (const [id, atMs] of await this.receiver.newArrivals(path)) if (missing.delete(id)) arrived.set(id, atMs);
      if (missing.size === 0) return arrived;
    }
    throw new Error(`events did not arrive at ${path}`);
  }

  private async bareLoop(secret: string, requests: number): Promise<number> {
    const url = `${this.receiver.url}/bare`;
    const workerData: BareLoopOptions = { url, body: exampleBody(), secret, requests, connections: CONNECTIONS };
    const worker = new Worker(new URL('./bare-loop.worker.js', import.meta.url), { workerData });
    const [perSecond] = (await once(worker, 'message')) as [number];
    await worker.terminate();
    return perSecond;
  }
}

/** The rows as lines of a table. */
export function linesOfWebhooks(result: WebhooksBench): string[] {
  const { rounds, light, lightByApi, spread, bad, turning, newcomers, memoryMb } = result;
  const medianOf = (of: (round: Throughput) => number): number => percentile(rounds.map(of), 0.5);
  const ratio = medianOf(({ perSecond, barePerSecond }) => perSecond / barePerSecond);
  const bare = medianOf(({ barePerSecond }) => barePerSecond);
  const ours = medianOf(({ perSecond }) => perSecond);
  const attempts = medianOf(({ attemptsPerSecond }) => attemptsPerSecond);
  const attemptsRatio = medianOf((round) => round.attemptsPerSecond / round.barePerSecond);
  const cpu = medianOf(({ cpuSecondsPer1000 }) => cpuSecondsPer1000);
  return [
    `| attempts of a replay | ${attempts.toFixed(0)}/s | bare loop ${bare.toFixed(0)}/s | ${attemptsRatio.toFixed(2)} | ≥ 0.3 |`,
    `| publication → arrival, many | ${ours.toFixed(0)}/s | bare loop ${bare.toFixed(0)}/s | ${ratio.toFixed(2)} | ≥ 2 × the fastest peer's 1,191/s |`,
    `| CPU of all processes per 1,000 | ${cpu.toFixed(2)} s | fastest peer 1.4 s | ${(cpu / 1.4).toFixed(2)} | ≤ 0.5 |`,
    `| publication → arrival, ${PER_SECOND}/s | ${lineOf(light)} | | | p99 < 50 ms |`,
    `| answer to a send → arrival, ${PER_SECOND}/s | ${lineOf(lightByApi)} | | | p99 < 50 ms |`,
    ...linesOfSpread(spread),
    ...linesOfIsolation(bad),
    ...linesOfTurning(turning),
    ...linesOfNewcomers(newcomers),
    `| memory of webhooks while all of these last | ${memoryMb.most.toFixed(0)} MB | before ${memoryMb.before.toFixed(0)} MB | ${(memoryMb.most / memoryMb.before).toFixed(2)} | 2 |`,
  ];
}
