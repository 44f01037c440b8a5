import { context, ROOT_CONTEXT, SpanStatusCode, trace, type Context, type SpanContext } from '@opentelemetry/api';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { measureBatches } from './batch-metrics.js';
import { FairQueue } from './fair-queue.js';
import { isDataError, isTransientConflict } from './postgres-errors.js';

/** What became of one item of a batch. */
export type Outcome<O> = { readonly ok: O } | { readonly error: unknown };

/** How calls become batches. */
export interface CoalesceSpec<I, O> {
  /** Label of spans and metrics. */
  readonly name: string;
  /** One transaction; answers as many outcomes as items, in their order. */
  run(items: readonly I[]): Promise<readonly Outcome<O>[]>;
  /** Whose item it is: tenants take turns, so that a flood cannot fill a batch. */
  tenant(item: I): string;
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

interface Waiting<I, O> {
  readonly item: I;
  readonly tenant: string;
  readonly serialKey: string | undefined;
  readonly bytes: number;
  readonly context: Context;
  readonly signal: AbortSignal | undefined;
  resolve(value: O): void;
  reject(error: unknown): void;
}

const CONFLICT_RUNS_MAX = 3;
const tracer = trace.getTracer('@switchboard/postgres');

/**
 * Turns concurrent calls into few batches. No timer: what waits goes as soon as a slot is free.
 *
 * The law, held by the conformance suite: `run([a, b, c])` leaves the same rows, events and answers as `run([a])`,
 * `run([b])`, `run([c])` in that order. A conflict runs the batch again (`runsAgain`); another data error (SQLSTATE 22,
 * 23) bisects to the guilty item; any other error, a lost COMMIT too, is every item's. No run begins with an item whose
 * signal has aborted.
 *
 * @throws SERVICE_UNAVAILABLE when the queue is full or draining; the signal's reason when aborted before a run, with
 * which nothing of the item is stored
 */
export function coalesce<I, O>(spec: CoalesceSpec<I, O>): Coalesced<I, O> {
  const queue = new FairQueue<Waiting<I, O>>(spec.limits);
  const measured = measureBatches(spec.name, () => queue.length);
  let inFlight = 0;
  let scheduled = false;
  let draining = false;
  let onIdle: (() => void)[] = [];

  const schedule = (): void => {
    if (scheduled || inFlight >= spec.limits.inFlight || queue.length === 0) return;
    scheduled = true;
    // After the current I/O events, so that requests of one read of the socket share a batch.
    setImmediate(() => {
      scheduled = false;
      while (inFlight < spec.limits.inFlight && flush()) continue;
    });
  };

  const flush = (): boolean => {
    const batch = queue.take((waiting) => dropAborted(waiting));
    if (batch.length === 0) {
      settleIdle();
      return false;
    }
    inFlight++;
    const startedMs = performance.now();
    void runTraced(spec, batch).finally(() => {
      measured.ran(batch.length, performance.now() - startedMs);
      inFlight--;
      queue.release(batch);
      settleIdle();
      schedule();
    });
    return true;
  };

  const settleIdle = (): void => {
    if (inFlight > 0 || queue.length > 0) return;
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

/** True when the time of the item's caller is over, who gets the signal's reason. */
function dropAborted<I, O>(waiting: Waiting<I, O>): boolean {
  if (!waiting.signal?.aborted) return false;
  waiting.reject(waiting.signal.reason);
  return true;
}

/** Runs a batch in a span that is a child of its first traced item and is linked with the others. */
async function runTraced<I, O>(spec: CoalesceSpec<I, O>, batch: readonly Waiting<I, O>[]): Promise<void> {
  const traced = batch.filter(({ context: own }) => trace.getSpan(own)?.isRecording());
  const first = traced[0];
  if (!first) return context.with(ROOT_CONTEXT, () => settle(spec, batch));
  const links = traced.slice(1).flatMap(({ context: own }) => linkOf(trace.getSpanContext(own)));
  const attributes = { 'batch.items': batch.length };
  const span = tracer.startSpan(`batch ${spec.name}`, { links, attributes }, first.context);
  try {
    await context.with(trace.setSpan(first.context, span), () => settle(spec, batch));
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

/** Gives every item of the batch its outcome; never rejects. */
async function settle<I, O>(spec: CoalesceSpec<I, O>, taken: readonly Waiting<I, O>[]): Promise<void> {
  for (let batch = taken, runs = 1; batch.length > 0; batch = stillWaited(batch), runs++) {
    try {
      return tell(spec, batch, await spec.run(batch.map(({ item }) => item)));
    } catch (error) {
      if ((spec.runsAgain ?? isConflict)(error, runs)) continue;
      if (!isDataError(error) || batch.length === 1) return batch.forEach((waiting) => waiting.reject(error));
      const middle = Math.ceil(batch.length / 2);
      await settle(spec, stillWaited(batch.slice(0, middle)));
      return settle(spec, stillWaited(batch.slice(middle)));
    }
  }
}

/** What is run again of a batch that was rolled back: items whose callers still wait. */
function stillWaited<I, O>(batch: readonly Waiting<I, O>[]): readonly Waiting<I, O>[] {
  return batch.filter((waiting) => !dropAborted(waiting));
}

function tell<I, O>(spec: CoalesceSpec<I, O>, batch: readonly Waiting<I, O>[], outcomes: readonly Outcome<O>[]): void {
  batch.forEach((waiting, index) => {
    const outcome = outcomes[index];
    if (!outcome) waiting.reject(new Error(`batch ${spec.name} answered ${outcomes.length} of ${batch.length} items`));
    else if ('ok' in outcome) waiting.resolve(outcome.ok);
    else waiting.reject(outcome.error);
  });
}

function isConflict(error: unknown, runs: number): boolean {
  return runs < CONFLICT_RUNS_MAX && isTransientConflict(error);
}
