import { setTimeout as wait } from 'node:timers/promises';
import { percentile } from '../percentile.js';
import type { Customers, RegisteredWebhook } from './customers.js';
import type { Receiver } from './receiver.js';

/** From before the publication of an event to its arrival. */
export interface Latencies {
  readonly events: number;
  /** Of them, those that did not arrive within the time. */
  readonly late: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A receiver that answers, and its webhook. */
export interface OneReceiver extends RegisteredWebhook {
  readonly path: string;
}

/** Single events a second. */
export const PER_SECOND = 10;
/** An event that needs more is late. */
const LATE_MS = 10_000;

/** Yields once at any moment of each step: in even steps each would meet the same part of the others' load. */
export async function* pacedSteps(lengthMs: number): AsyncGenerator<number> {
  const startedMs = performance.now();
  for (let step = 0; step < (lengthMs * PER_SECOND) / 1_000; step++) {
    const atMs = startedMs + (step + Math.random()) * (1_000 / PER_SECOND);
    await wait(Math.max(atMs - performance.now(), 0));
    yield step;
  }
}

/** Work at even steps, until it is stopped: one that is late begins at once. */
export class SteadyWork {
  /** Steps that were done. */
  done = 0;
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  constructor(
    private readonly stepMs: number,
    private readonly work: (step: number) => Promise<unknown>,
  ) {
    this.running = this.run();
  }

  /** Waits for the step that is under way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const startedMs = performance.now();
    while (!this.stopping.signal.aborted) {
      await this.work(this.done);
      this.done++;
      await wait(Math.max(startedMs + this.done * this.stepMs - performance.now(), 0));
    }
  }
}

/** Arrivals by the ids of their events, once they are all; those so far where some are late. */
export async function arrivalsOf(
  receiver: Receiver,
  path: string,
  areAll: (arrived: ReadonlyMap<string, number>) => boolean,
): Promise<ReadonlyMap<string, number>> {
  const arrived = new Map<string, number>();
  for (const deadlineMs = now() + LATE_MS; !areAll(arrived) && now() < deadlineMs; await wait(100)) {
    for (const [id, atMs] of await receiver.newArrivals(path)) arrived.set(id, atMs);
  }
  return arrived;
}

/**
 * Publishes single events, one in each step.
 *
 * @returns the time from before each publication to its arrival in milliseconds; Infinity of what is late
 */
export async function publishPaced(
  customers: Customers,
  { path, organizationId }: OneReceiver,
  receiver: Receiver,
  lengthMs: number,
): Promise<readonly number[]> {
  const published: Promise<Asked>[] = [];
  for await (const _step of pacedSteps(lengthMs)) published.push(publishOne(customers, organizationId));
  return latenciesMsOf(await Promise.all(published), receiver, path);
}

/** An event that was published, and when that was begun. */
export type Asked = readonly [id: string, askedMs: number];

/** Publishes one event of an organization. */
export async function publishOne(customers: Customers, organizationId: string): Promise<Asked> {
  const askedMs = now();
  return [await customers.publish(organizationId), askedMs];
}

/** Waits for events at a path. @returns the time of each in milliseconds; Infinity of what is late */
export async function latenciesMsOf(
  asked: readonly Asked[],
  receiver: Receiver,
  path: string,
): Promise<readonly number[]> {
  const arrived = await arrivalsOf(receiver, path, (found) => asked.every(([id]) => found.has(id)));
  return asked.map(([id, askedMs]) => (arrived.get(id) ?? Infinity) - askedMs);
}

/** @param latenciesMs Infinity of what is late */
export function latenciesOf(latenciesMs: readonly number[]): Latencies {
  const late = latenciesMs.filter((ms) => ms > LATE_MS).length;
  const [p50Ms, p99Ms] = [percentile(latenciesMs, 0.5), percentile(latenciesMs, 0.99)];
  return { events: latenciesMs.length, late, p50Ms, p99Ms };
}

/** Milliseconds since 1970, with fractions, as the receiver's thread has them. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Latencies as a cell of a table. */
export function lineOf({ p50Ms, p99Ms }: Latencies): string {
  return `p50 / p99 ${p50Ms.toFixed(1)} / ${p99Ms.toFixed(1)} ms`;
}
