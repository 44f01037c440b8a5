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

/** So many events' arrivals by their ids; fewer where some are late. */
export async function arrivalsOf(
  receiver: Receiver,
  path: string,
  count: number,
): Promise<ReadonlyMap<string, number>> {
  const arrived = new Map<string, number>();
  for (const deadlineMs = now() + LATE_MS; arrived.size < count && now() < deadlineMs; await wait(100)) {
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
  const published: Promise<readonly [id: string, askedMs: number]>[] = [];
  for await (const _step of pacedSteps(lengthMs)) {
    const askedMs = now();
    published.push(customers.publish(organizationId).then((id) => [id, askedMs] as const));
  }
  const asked = await Promise.all(published);
  const arrived = await arrivalsOf(receiver, path, asked.length);
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
