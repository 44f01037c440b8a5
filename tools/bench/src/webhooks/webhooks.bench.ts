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
import { Isolation, linesOfIsolation } from './isolation.js';
import { linesOfNewcomers, Newcomers } from './newcomers.js';
import { latenciesOf, lineOf, now, PER_SECOND, publishPaced, type OneReceiver } from './paced.js';
import { startReceiver, type Receiver } from './receiver.js';
import { Sends } from './sends.js';
import { linesOfSpread, Spread } from './spread.js';
import { linesOfTurning, Turning } from './turning.js';

/** What is measured, in this order. */
export const WEBHOOKS_PARTS = ['light', 'many', 'sends', 'spread', 'bad', 'turning', 'newcomers'] as const;
export type WebhooksPart = (typeof WEBHOOKS_PARTS)[number];
/** Of these the memory is measured: what receivers do to their connections. */
const NEXT_TO_OTHERS: readonly WebhooksPart[] = ['bad', 'turning', 'newcomers'];

/** How much to measure. */
export interface WebhooksBenchOptions {
  readonly parts: ReadonlySet<WebhooksPart>;
  /** Events to one receiver, in each round. */
  readonly events: number;
  readonly rounds: number;
  /** How long each load of single events lasts. */
  readonly roundMs: number;
  /** Webhooks that get an event each. */
  readonly spread: number;
  readonly onLine: (line: string) => void;
}

/** A round of many events to one receiver. */
interface Throughput {
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
const WARM_EVENTS = 2_000;
const ARRIVAL_DEADLINE_MS = 300_000;

/** Measures deliveries on one running stack, with events as messaging's outbox publishes them. @returns rows of a table */
export async function benchWebhooks(options: WebhooksBenchOptions): Promise<string[]> {
  return withStack(options.onLine, async (stack, client) => {
    // Apart from the one that notes arrivals: what floods keeps its own thread busy.
    const [receiver, misbehaving] = [await startReceiver(), await startReceiver()];
    const customers = await Customers.connect(stack.devJson.natsUrl);
    try {
      const sends = new Sends({ stack, client }, customers, receiver);
      return await new Measurement(stack, customers, sends, receiver, misbehaving, options).all();
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
    private readonly sends: Sends,
    private readonly receiver: Receiver,
    private readonly misbehaving: Receiver,
    private readonly options: WebhooksBenchOptions,
  ) {}

  async all(): Promise<string[]> {
    const { events, parts } = this.options;
    // One that has taken thousands of events: of a new one the first requests are few.
    const known = await this.newReceiver('/many');
    await this.deliverMany(known, Math.min(events, WARM_EVENTS));
    const lines: string[] = [];
    if (parts.has('light')) lines.push(...(await this.light()));
    if (parts.has('many')) lines.push(...(await this.many(known)));
    if (parts.has('sends')) lines.push(...this.shown(await this.sends.many(this.options.roundMs)));
    if (parts.has('spread')) lines.push(...(await this.spread(known)));
    if (NEXT_TO_OTHERS.some((part) => parts.has(part))) lines.push(...(await this.nextToOthers()));
    return lines;
  }

  /** What one receiver has of others that misbehave, turn, or have failed before it came. */
  private async nextToOthers(): Promise<string[]> {
    const { parts } = this.options;
    const before = this.memoryMb();
    let most = before;
    const sampler = setInterval(() => (most = Math.max(most, this.memoryMb())), MEMORY_SAMPLE_MS);
    const lines: string[] = [];
    try {
      if (parts.has('bad')) lines.push(...(await this.bad()));
      if (parts.has('turning')) lines.push(...(await this.turning()));
      if (parts.has('newcomers')) lines.push(...(await this.newcomers()));
    } finally {
      clearInterval(sampler);
    }
    const memory = `${most.toFixed(0)} MB | before ${before.toFixed(0)} MB | ${(most / before).toFixed(2)} | 2`;
    return [...lines, `| memory of webhooks while all of these last | ${memory} |`];
  }

  private async light(): Promise<string[]> {
    const light = await publishPaced(
      this.customers,
      await this.newReceiver('/light'),
      this.receiver,
      this.options.roundMs,
    );
    const bySends = await this.sends.light(this.options.roundMs);
    return this.shown([
      `| publication → arrival, ${PER_SECOND}/s | ${lineOf(latenciesOf(light))} | | | p99 < 50 ms |`,
      `| answer to a send → arrival, ${PER_SECOND}/s | ${lineOf(latenciesOf(bySends))} | | | p99 < 50 ms |`,
    ]);
  }

  private async many(known: OneReceiver): Promise<string[]> {
    const { events, rounds, onLine } = this.options;
    const through: Throughput[] = [];
    for (let round = 1; round <= rounds; round++) {
      const barePerSecond = await this.bareLoop(known.secret, events);
      const ours = await this.deliverMany(known, events);
      const attemptsPerSecond = await this.replay(known, ours.publishedSince, events);
      through.push({ barePerSecond, attemptsPerSecond, ...ours });
      const perSecond = [barePerSecond, ours.perSecond, attemptsPerSecond].map((rate) => `${rate.toFixed(0)}/s`);
      onLine(`round ${round}: bare ${perSecond[0]}, ours ${perSecond[1]}, attempts of a replay ${perSecond[2]}`);
    }
    return linesOfMany(through);
  }

  private async spread(known: OneReceiver): Promise<string[]> {
    const bareLoop = (requests: number): Promise<number> => this.bareLoop(known.secret, requests);
    const spread = new Spread(this.customers, this.receiver, known, bareLoop);
    return this.shown(linesOfSpread(await spread.row({ webhooks: this.options.spread, rounds: this.rounds })));
  }

  private async bad(): Promise<string[]> {
    const { customers, receiver, misbehaving, rounds } = this;
    const rows = await new Isolation(customers, await this.newReceiver('/healthy'), receiver, misbehaving.url).rows({
      rounds,
      roundMs: this.options.roundMs * ISOLATION_ROUND_FACTOR,
      onRow: (row) => this.shown(linesOfIsolation([row])),
    });
    return linesOfIsolation(rows);
  }

  private async turning(): Promise<string[]> {
    const turning = new Turning(this.customers, await this.newReceiver('/next-to-turning'), this.receiver);
    return this.shown(linesOfTurning(await turning.row({ rounds: this.rounds, roundMs: this.options.roundMs })));
  }

  private async newcomers(): Promise<string[]> {
    const rows = await new Newcomers(this.customers, this.receiver, this.misbehaving.url).rows({
      rounds: this.rounds,
      roundMs: this.options.roundMs,
      onRow: (row) => this.shown(linesOfNewcomers([row])),
    });
    return linesOfNewcomers(rows);
  }

  /** Of each row that has receivers of its own. */
  private get rounds(): number {
    return Math.min(this.options.rounds, ROUNDS_MAX);
  }

  private shown(lines: string[]): string[] {
    lines.forEach(this.options.onLine);
    return lines;
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

function linesOfMany(rounds: readonly Throughput[]): string[] {
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
  ];
}
