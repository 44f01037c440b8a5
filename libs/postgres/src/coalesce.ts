import { BatchScheduler } from './batch-scheduler.js';
import type { Coalesced, CoalesceSpec } from './coalesce-spec.js';

export type { Coalesced, CoalesceSpec } from './coalesce-spec.js';
export type { Outcome, RunOptions } from './settle-batch.js';

/**
 * Turns concurrent calls into few batches. No timer: what waits goes as soon as a slot is free.
 *
 * The law, held by the conformance suite: `run([a, b, c])` leaves the same rows, events and answers as `run([a])`,
 * `run([b])`, `run([c])` in that order. A conflict runs the batch again (`runsAgain`); another data error (SQLSTATE 22,
 * 23) bisects to the guilty item; any other error, a lost COMMIT too, is every item's. No run begins with an item whose
 * signal has aborted.
 *
 * When a batch times out (55P03, 57014), each of its tenants is set apart: what waits of it and what comes is run in batches
 * of its own, one at a time and two over all that are set apart, in no slot of the others, until one passes, which is at once
 * but for the tenant whose row is locked. Its first run gives up a lock early, then that one is run again and again
 * while its callers wait (5 s without a signal), in a slot of those that timed out by themselves: by turns of tenants, short ones
 * while many wait, so that however many rows are locked no other waits behind them. Where other serial keys of it pass, the
 * guilty key is run apart from them, and they from other tenants until none of its keys has timed out for 5 s: of thousands of
 * locked rows each would cost the others a timeout. While several organizations are found so, a tenant of which nothing is known
 * is tried by itself before it shares a batch, and a batch of several gives up a lock earlier than that: it holds rows of those
 * that have passed meanwhile (`LockTrouble`; no lock is given up early where runs take long by themselves). A batch of several tenants that meets a second conflict is run
 * apart as well.
 *
 * @throws SERVICE_UNAVAILABLE when the queue is full or draining; the signal's reason when aborted before a run, with
 * which nothing of the item is stored
 */
export function coalesce<I, O>(spec: CoalesceSpec<I, O>): Coalesced<I, O> {
  const batches = new BatchScheduler(spec);
  const call = (item: I, signal?: AbortSignal): Promise<O> => batches.take(item, signal);
  return Object.assign(call, { drain: () => batches.drain() });
}
