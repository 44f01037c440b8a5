import { context, ROOT_CONTEXT, SpanStatusCode, trace, type SpanContext } from '@opentelemetry/api';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { measureBatches } from './batch-metrics.js';
import { FairQueue } from './fair-queue.js';
import { LockTrouble } from './lock-trouble.js';
import { isTimedOut } from './postgres-errors.js';
import { USUAL_LOCK_WAIT_MS } from './transaction-query.js';
import {
  dropOver,
  isShared,
  settleApart,
  settleShared,
  type ApartOutcome,
  type BatchRun,
  type Outcome,
  type RunOptions,
  type Stalled,
  type Waiting,
} from './settle-batch.js';

export type { Outcome, RunOptions } from './settle-batch.js';

/** How calls become batches. */
export interface CoalesceSpec<I, O> {
  /** Label of spans and metrics. */
  readonly name: string;
  /** One transaction; answers as many outcomes as items, in their order. */
  run(items: readonly I[], options: RunOptions): Promise<readonly Outcome<O>[]>;
  /** Whose item it is: tenants take turns, so that a flood cannot fill a batch. */
  tenant(item: I): string;
  /** Whose rows it locks, where an organization has several tenants; the tenant by default. */
  organization?(item: I): string;
  /** Equal keys are never in two batches at once. */
  serialKey?(item: I): string;
  /**
   * Whether the batch is run again after an error that proves its rollback, and so many runs. By default after a conflict
   * (40001, 40P01), three runs at most.
   */
  runsAgain?(error: unknown, runs: number): boolean;
  /** Approximate bytes of an item; needed where items may be large. */
  bytes?(item: I): number;
  readonly limits: {
    /** Items of a batch at most. */
    readonly items: number;
    /** Bytes of a batch at most; a larger single item goes alone. */
    readonly bytes: number;
    /** Batches under way at once. */
    readonly inFlight: number;
    /** Items waiting at most; one tenant holds at most a quarter of them. */
    readonly waiting: number;
  };
}

/** An ordinary async function to its callers. */
export interface Coalesced<I, O> {
  (item: I, signal?: AbortSignal): Promise<O>;
  /** Refuses new items and resolves when all that were taken have their outcome. */
  drain(): Promise<void>;
}

/** Batches under way at once of what is set apart, and may have nothing locked. */
const APART_IN_FLIGHT = 2;
/** The same of what timed out by itself: none of the others waits behind it, however many rows are locked. */
const STALLED_IN_FLIGHT = 1;
/** While so many of them wait, each is tried for as short as one that was just set apart: their round takes 5 s with fifty, not 25. */
const STALLED_MANY = 2;
/** A tenant with serial keys that time out while others of it pass stays apart for so long: more of its keys may be locked. */
const KEYS_APART_MS = 5_000;
const tracer = trace.getTracer('@switchboard/postgres');

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
  const queue = new FairQueue<Waiting<I, O>>(spec.limits);
  const measured = measureBatches(spec.name, queue);
  let inFlight = 0;
  /** Lines with a batch under way, and whether they had timed out by themselves. */
  const apartInFlight = new Map<string, boolean>();
  /** When a serial key of a tenant, apart from others of it, last timed out. */
  const keysStalledMs = new Map<string, number>();
  const trouble = new LockTrouble();
  const timed: BatchRun<I, O> = {
    ...spec,
    run: async (items, options) => {
      const startedMs = performance.now();
      const outcomes = await spec.run(items, options);
      const endedMs = performance.now();
      trouble.ran(endedMs - startedMs, endedMs);
      return outcomes;
    },
  };
  let scheduled = false;
  let draining = false;
  let onIdle: (() => void)[] = [];

  const mayRunApart = (haveStalled: boolean): boolean => {
    if (queue.apartCount === 0) return false;
    const underway = [...apartInFlight.values()].filter((own) => own === haveStalled);
    return underway.length < (haveStalled ? STALLED_IN_FLIGHT : APART_IN_FLIGHT);
  };

  const schedule = (): void => {
    if (scheduled || queue.length === 0) return;
    if (inFlight >= spec.limits.inFlight && !mayRunApart(false) && !mayRunApart(true)) return;
    scheduled = true;
    // After the current I/O events, so that requests of one read of the socket share a batch.
    setImmediate(() => {
      scheduled = false;
      while (inFlight < spec.limits.inFlight && flush()) continue;
      for (const haveStalled of [false, true]) while (mayRunApart(haveStalled) && flushApart(haveStalled)) continue;
    });
  };

  const flush = (): boolean => {
    for (const tenant of trouble.unproven(queue.sharing, performance.now())) {
      queue.setApart(tenant, tenant, [], false, dropOver);
    }
    const batch = queue.take(dropOver);
    if (batch.length === 0) {
      settleIdle();
      return false;
    }
    inFlight++;
    const nowMs = performance.now();
    const lockWaitMs = isShared(batch) ? trouble.sharedWaitMs(nowMs) : trouble.aloneWaitMs(nowMs);
    const settle = async (): Promise<ApartOutcome<Waiting<I, O>>> => {
      return { stalled: await settleShared(timed, batch, lockWaitMs), hasPassed: false };
    };
    void run(batch, settle).finally(() => {
      inFlight--;
      settleIdle();
      schedule();
    });
    return true;
  };

  /** What is set apart has slots of its own: it takes none from the others. */
  const flushApart = (haveStalled: boolean): boolean => {
    const taken = queue.takeApart(dropOver, apartInFlight, haveStalled);
    if (!taken) {
      settleIdle();
      return false;
    }
    const { name, batch } = taken;
    apartInFlight.set(name, haveStalled);
    const isUsual = haveStalled && queue.stalledCount < STALLED_MANY;
    const lockWaitMs = isUsual ? USUAL_LOCK_WAIT_MS : trouble.apartWaitMs(performance.now());
    const line = { name, lockWaitMs, hasStalled: haveStalled, hasFreeKeys: keysStalledMs.has(name) };
    void run(batch, () => settleApart(timed, line, batch), name).finally(() => {
      apartInFlight.delete(name);
      // Others wait for as long as their callers do, wherever their turn is.
      if (haveStalled) queue.dropApart(dropOver);
      settleIdle();
      schedule();
    });
    return true;
  };

  const run = async (
    batch: readonly Waiting<I, O>[],
    settle: () => Promise<ApartOutcome<Waiting<I, O>>>,
    apart?: string,
  ): Promise<void> => {
    const startedMs = performance.now();
    const { stalled, hasPassed } = await runTraced(spec, batch, settle);
    measured.ran(batch.length, performance.now() - startedMs);
    queue.release(batch);
    if (apart !== undefined && hasPassed) notePass(apart, batch);
    noteKeys(stalled);
    noteTrouble(stalled, hasPassed ? batch[0]?.tenant : undefined, apart !== undefined);
    if (apart !== undefined && !keysStalledMs.has(apart) && stalled.every(({ name }) => name !== apart)) {
      if (hasPassed || queue.isQuiet(apart)) queue.rejoin(apart);
    }
    for (const { name, tenant, items, error, isAlone } of stalled) {
      if (isTimedOut(error)) measured.timedOut(items.length);
      for (const own of items) own.stalledFor = error;
      queue.setApart(name, tenant, items, isAlone, dropOver);
    }
  };

  /** The callers of keys that time out may have gone when others of the tenant pass. */
  const notePass = (apart: string, batch: readonly Waiting<I, O>[]): void => {
    const stalledMs = queue.passed(apart, batch);
    if (stalledMs !== null) keysStalledMs.set(apart, stalledMs);
  };

  const noteTrouble = (
    stalled: readonly Stalled<Waiting<I, O>>[],
    passed: string | undefined,
    isApart: boolean,
  ): void => {
    const nowMs = performance.now();
    if (passed !== undefined) trouble.passed(passed, nowMs);
    for (const { tenant, items, error, isAlone } of stalled) {
      if (!isTimedOut(error)) continue;
      const [first] = items;
      if (isAlone) trouble.timedOut(tenant, (first && spec.organization?.(first.item)) ?? tenant, nowMs);
      else if (!isApart) trouble.sharedTimedOut(nowMs);
    }
  };

  const noteKeys = (stalled: readonly Stalled<Waiting<I, O>>[]): void => {
    const nowMs = performance.now();
    for (const { name, tenant } of stalled) if (name !== tenant) keysStalledMs.set(tenant, nowMs);
    for (const [tenant, atMs] of keysStalledMs) {
      if (nowMs - atMs <= KEYS_APART_MS) continue;
      // Behind the locks of many, the next turn of a key may come later than that.
      if (queue.hasStalledKey(tenant, apartInFlight)) keysStalledMs.set(tenant, nowMs);
      else keysStalledMs.delete(tenant);
    }
  };

  const settleIdle = (): void => {
    if (inFlight > 0 || apartInFlight.size > 0 || queue.length > 0) return;
    for (const resolve of onIdle) resolve();
    onIdle = [];
  };

  const call = (item: I, signal?: AbortSignal): Promise<O> => {
    if (draining) return Promise.reject(new AppError(serviceErrors.SERVICE_UNAVAILABLE, 'The service is stopping'));
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise<O>((resolve, reject) => {
      const waiting: Waiting<I, O> = {
        item,
        tenant: spec.tenant(item),
        serialKey: spec.serialKey?.(item),
        bytes: spec.bytes?.(item) ?? 0,
        context: context.active(),
        signal,
        resolve,
        reject,
      };
      if (queue.offer(waiting)) return schedule();
      measured.refused();
      reject(new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 }));
    });
  };

  return Object.assign(call, {
    drain: () => {
      draining = true;
      return new Promise<void>((resolve) => {
        onIdle.push(resolve);
        settleIdle();
      });
    },
  });
}

/** Runs a batch in a span that is a child of its first traced item and is linked with the others. */
async function runTraced<I, O, Result>(
  spec: CoalesceSpec<I, O>,
  batch: readonly Waiting<I, O>[],
  settle: () => Promise<Result>,
): Promise<Result> {
  const traced = batch.filter(({ context: own }) => trace.getSpan(own)?.isRecording());
  const first = traced[0];
  if (!first) return context.with(ROOT_CONTEXT, settle);
  const links = traced.slice(1).flatMap(({ context: own }) => linkOf(trace.getSpanContext(own)));
  const attributes = { 'batch.items': batch.length };
  const span = tracer.startSpan(`batch ${spec.name}`, { links, attributes }, first.context);
  try {
    return await context.with(trace.setSpan(first.context, span), settle);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

function linkOf(spanContext: SpanContext | undefined): { context: SpanContext }[] {
  return spanContext ? [{ context: spanContext }] : [];
}
