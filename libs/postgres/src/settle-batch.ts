import type { Context } from '@opentelemetry/api';
import { isDataError, isTimedOut, isTransientConflict } from './postgres-errors.js';
import type { QueueEntry } from './fair-queue.js';

/** What became of one item of a batch. */
export type Outcome<O> = { readonly ok: O } | { readonly error: unknown };

/** An item of a batch with the caller who waits for it. */
export interface Waiting<I, O> extends QueueEntry {
  readonly item: I;
  /** The trace of the call. */
  readonly context: Context;
  readonly signal: AbortSignal | undefined;
  /** When it first timed out, of `performance.now()`. */
  firstTimeoutMs?: number;
  resolve(value: O): void;
  reject(error: unknown): void;
}

/** How a batch is run; see `CoalesceSpec`. */
export interface BatchRun<I, O> {
  readonly name: string;
  run(items: readonly I[]): Promise<readonly Outcome<O>[]>;
  runsAgain?(error: unknown, runs: number): boolean;
}

/** Items without an outcome: a statement of theirs timed out, most likely for a lock that is held for long. */
export interface Stalled<W> {
  /** Whose lock it is: a tenant, or a serial key. */
  readonly name: string;
  readonly tenant: string;
  /** In the order in which they were given. */
  readonly items: readonly W[];
  readonly error: unknown;
}

/** What came of a batch of a line that was set apart. */
export interface ApartOutcome<W> {
  readonly stalled: readonly Stalled<W>[];
  /** Whether an item passed: the only proof that the lock is gone. Items may also end because they are too old. */
  readonly hasPassed: boolean;
}

const CONFLICT_RUNS_MAX = 3;
/** Parts of a batch that run at once, each on a connection of its own. */
const PARTS_AT_ONCE = 2;

/**
 * Runs a batch of several tenants and gives every item its outcome, unless it times out: then what is left of it is returned
 * by tenant, to be run apart. The lock of one costs the others, and the batch's slot, one timeout.
 */
export async function settleShared<I, O>(
  spec: BatchRun<I, O>,
  batch: readonly Waiting<I, O>[],
): Promise<Stalled<Waiting<I, O>>[]> {
  const timeout = await settle(spec, batch);
  if (!timeout) return [];
  const { error } = timeout;
  const tenants = Map.groupBy(timeout.items, ({ tenant }) => tenant);
  return [...tenants].map(([tenant, items]) => ({ name: tenant, tenant, items, error }));
}

/**
 * Runs a batch of one line that was set apart, and finds the guilty serial keys of a tenant that times out: by running key by
 * key, for as long as the first ones do not time out as well.
 */
export async function settleApart<I, O>(
  spec: BatchRun<I, O>,
  name: string,
  batch: readonly Waiting<I, O>[],
): Promise<ApartOutcome<Waiting<I, O>>> {
  let hasPassed = false;
  const noting: BatchRun<I, O> = {
    ...spec,
    run: async (items) => {
      const outcomes = await spec.run(items);
      hasPassed ||= outcomes.some((outcome) => 'ok' in outcome);
      return outcomes;
    },
  };
  const timeout = await settle(noting, batch);
  const tenant = timeout?.items[0]?.tenant;
  if (!timeout || tenant === undefined) return { stalled: [], hasPassed };
  const keys = [...Map.groupBy(timeout.items, ({ serialKey }) => serialKey ?? tenant)];
  if (keys.length === 1) return { stalled: [{ ...timeout, name, tenant }], hasPassed };
  const parts = keys.map(([key, items]) => ({ name: key, tenant, items }));
  const first = await settleParts(noting, parts.slice(0, PARTS_AT_ONCE));
  const others = parts.slice(PARTS_AT_ONCE);
  if (hasPassed) return { stalled: [...first, ...(await settleParts(noting, others))], hasPassed };
  const guilty = new Set([...first, ...others].flatMap(({ items }) => items));
  const items = timeout.items.filter((item) => guilty.has(item));
  return { stalled: [{ ...timeout, name: tenant, tenant, items }], hasPassed };
}

/** True when the time of the item's caller is over, who gets the signal's reason. */
export function dropAborted<I, O>({ signal, reject }: Waiting<I, O>): boolean {
  if (!signal?.aborted) return false;
  reject(signal.reason);
  return true;
}

interface Timeout<W> {
  readonly items: readonly W[];
  readonly error: unknown;
}

/** Runs the batch until every item has its outcome, or it times out: then all that is left of it is returned. */
async function settle<I, O>(
  spec: BatchRun<I, O>,
  taken: readonly Waiting<I, O>[],
): Promise<Timeout<Waiting<I, O>> | null> {
  for (let batch = taken, runs = 1; batch.length > 0; batch = stillWaited(batch), runs++) {
    try {
      answer(spec, batch, await spec.run(batch.map(({ item }) => item)));
      return null;
    } catch (error) {
      if ((spec.runsAgain ?? isConflict)(error, runs)) continue;
      if (isTimedOut(error)) return { items: batch, error };
      if (!isDataError(error) || batch.length === 1) {
        for (const waiting of batch) waiting.reject(error);
        return null;
      }
      return halve(spec, batch);
    }
  }
  return null;
}

async function halve<I, O>(
  spec: BatchRun<I, O>,
  batch: readonly Waiting<I, O>[],
): Promise<Timeout<Waiting<I, O>> | null> {
  const middle = Math.ceil(batch.length / 2);
  const former = await settle(spec, stillWaited(batch.slice(0, middle)));
  // Equal serial keys keep their order: what comes after a part without an outcome waits with it.
  if (former) return { ...former, items: [...former.items, ...batch.slice(middle)] };
  return settle(spec, stillWaited(batch.slice(middle)));
}

/** Runs the parts, a few at once. */
async function settleParts<I, O>(
  spec: BatchRun<I, O>,
  parts: readonly Omit<Stalled<Waiting<I, O>>, 'error'>[],
): Promise<Stalled<Waiting<I, O>>[]> {
  const stalled: Stalled<Waiting<I, O>>[] = [];
  const left = parts.values();
  const work = async (): Promise<void> => {
    for (const part of left) {
      const timeout = await settle(spec, stillWaited(part.items));
      if (timeout) stalled.push({ ...part, ...timeout });
    }
  };
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, work));
  return stalled;
}

/** What is run again of a batch that was rolled back: items whose callers still wait. */
function stillWaited<I, O>(batch: readonly Waiting<I, O>[]): readonly Waiting<I, O>[] {
  return batch.filter((waiting) => !dropAborted(waiting));
}

function answer<I, O>(spec: BatchRun<I, O>, batch: readonly Waiting<I, O>[], outcomes: readonly Outcome<O>[]): void {
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
