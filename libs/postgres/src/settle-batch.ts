import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '@opentelemetry/api';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { backoffMs } from '@switchboard/timing';
import { isDataError, isTimedOut, isTransientConflict } from './postgres-errors.js';
import type { ApartKind, QueueEntry } from './apart-lines.js';
import type { LockWaitMs } from './transaction-query.js';

/**
 * What became of one item of a batch. `provesNothing`: it took none of the locks that others of its tenant take, so that its
 * pass does not say that they are free.
 */
export type Outcome<O> = { readonly ok: O; readonly provesNothing?: boolean } | { readonly error: unknown };

/** An item of a batch with the caller who waits for it. */
export interface Waiting<I, O> extends QueueEntry {
  readonly item: I;
  /** The trace of the call. */
  readonly context: Context;
  readonly signal: AbortSignal | undefined;
  /** What it was last set apart for. */
  stalledFor?: unknown;
  resolve(value: O): void;
  reject(error: unknown): void;
}

/** How a run of a batch differs from others. */
export interface RunOptions {
  /** What is set apart is most likely not what is locked, and others wait behind it: less than usual. */
  readonly lockWaitMs: LockWaitMs;
}

/** How a batch is run; see `CoalesceSpec`. */
export interface BatchRun<I, O> {
  readonly name: string;
  run(items: readonly I[], options: RunOptions): Promise<readonly Outcome<O>[]>;
  runsAgain?(error: unknown, runs: number): boolean;
}

/** Items without an outcome: a statement of theirs timed out, most likely for a lock that is held for long, or met conflicts. */
export interface Stalled<W> {
  /** Of the line that they wait in: a tenant, or a serial key. */
  readonly name: string;
  readonly tenant: string;
  /** Those of a key in the order in which they were given. */
  readonly items: readonly W[];
  readonly error: unknown;
  /** Whether nothing of another line was in the transaction: the lock is its own. */
  readonly isAlone: boolean;
}

/** What came of a batch of a line that was set apart. */
export interface ApartOutcome<W> {
  readonly stalled: readonly Stalled<W>[];
  /** Whether an item passed that proves something: that the lock is gone. Items may also end because they are too old. */
  readonly hasPassed: boolean;
}

/** A turn of a line that is set apart. */
export interface ApartTurn {
  readonly name: string;
  readonly lockWaitMs: LockWaitMs;
  readonly kind: ApartKind;
  /** Whether keys of the tenant have passed lately while others timed out: it is not locked as a whole. */
  readonly hasFreeKeys: boolean;
}

/** How long an item waits apart whose caller has no signal. */
const LOCK_WAIT_MAX_MS = 5_000;
const CONFLICT_RUNS_MAX = 3;
/** Conflicts of a batch of several tenants after which each of them goes on apart: they are most likely of one. */
const SHARED_CONFLICTS_MAX = 2;
/** From the third run on, so that those who contend for a row do not meet again. */
const CONFLICT_PAUSE = { firstMs: 5, maxMs: 40 };
/** Parts of a batch that run at once, each on a connection of its own. */
const PARTS_AT_ONCE = 2;
/** Parts that time out before the others wait for the next turn: of hundreds of locked keys other lines would wait for all. */
const PARTS_STALLED_MAX = 8;

/**
 * Runs a batch of several tenants and gives every item its outcome, unless it times out: then what is left of it is returned
 * by tenant, to be run apart. The lock of one costs the others, and the batch's slot, one timeout. The same holds of conflicts
 * that repeat.
 */
export async function settleShared<I, O>(
  spec: BatchRun<I, O>,
  batch: readonly Waiting<I, O>[],
  lockWaitMs: LockWaitMs,
): Promise<Stalled<Waiting<I, O>>[]> {
  const left = await settle({ ...spec, lockWaitMs }, batch);
  if (!left) return [];
  const { error } = left;
  const tenants = Map.groupBy(left.items, ({ tenant }) => tenant);
  return [...tenants].map(([tenant, items]) => ({ name: tenant, tenant, items, error, isAlone: false }));
}

/**
 * Runs a batch of one line that was set apart, and finds the guilty serial keys of a tenant that times out: by running key by
 * key, unless the first ones time out as well. Then others are the first ones of the next time. Of a tenant that has not timed
 * out by itself, as most that are set apart, the first one runs next to all others: where nothing is locked that is one round trip.
 */
export async function settleApart<I, O>(
  spec: BatchRun<I, O>,
  { name, kind, lockWaitMs, hasFreeKeys }: ApartTurn,
  batch: readonly Waiting<I, O>[],
): Promise<ApartOutcome<Waiting<I, O>>> {
  const hasStalled = kind === 'stalled';
  let hasPassed = false;
  const noting: Settling<I, O> = {
    ...spec,
    lockWaitMs,
    run: async (items, options) => {
      const outcomes = await spec.run(items, options);
      hasPassed ||= outcomes.some((outcome) => 'ok' in outcome && outcome.provesNothing !== true);
      return outcomes;
    },
  };
  const all = partsOf(batch);
  // What is locked as a whole is found within one timeout. A run of all of it before would cost those behind it another.
  const tried = hasFreeKeys || all.length === 1 ? [] : all.slice(0, hasStalled ? PARTS_AT_ONCE : 1);
  const rest = all.slice(tried.length);
  const settleRest = (): Promise<Left<Waiting<I, O>> | null> =>
    settle(noting, stillWaited(rest.flatMap(({ items }) => items)));
  const [{ stalled: own }, early] = await Promise.all([settleParts(noting, tried), hasStalled ? null : settleRest()]);
  const isLocked = hasStalled && !hasPassed && own.length === PARTS_AT_ONCE;
  const left = hasStalled && !isLocked ? await settleRest() : early;
  let others = isLocked ? rest : partsOf(left?.items ?? []);
  const error = left?.error ?? own[0]?.error;
  const [only] = others;
  if (left && only && others.length + tried.length === 1) {
    return { stalled: [{ ...only, ...left, name: hasFreeKeys ? only.name : name, isAlone: true }], hasPassed };
  }
  // What ends without a proof holds up no more than what timed out: it is not tried two keys a turn.
  while (others.length > 0 && !hasPassed && !hasFreeKeys && own.length < tried.length) {
    own.push(...(await settleParts(noting, others.slice(0, PARTS_AT_ONCE))).stalled);
    others = others.slice(PARTS_AT_ONCE);
  }
  if (!hasPassed && !hasFreeKeys) return { stalled: asOne([...others, ...own], error), hasPassed };
  const { stalled, untried } = await settleParts(noting, others);
  const waiting = asOne(untried, error).map((one) => ({ ...one, isAlone: false }));
  return { stalled: [...own, ...stalled, ...waiting], hasPassed };
}

/** The items of a line by their serial keys. */
function partsOf<I, O>(items: readonly Waiting<I, O>[]): Part<Waiting<I, O>>[] {
  const byKey = Map.groupBy(items, ({ serialKey, tenant }) => serialKey ?? tenant);
  return [...byKey].flatMap(([name, own]) => (own[0] ? [{ name, tenant: own[0].tenant, items: own }] : []));
}

/** Parts of a tenant that wait in its line together; none when nothing is left of them. */
function asOne<W>(parts: readonly Part<W>[], error: unknown): Stalled<W>[] {
  const [first] = parts;
  if (!first) return [];
  const { tenant } = first;
  return [{ name: tenant, tenant, items: parts.flatMap(({ items }) => items), error, isAlone: true }];
}

/** True when the time of the item is over: its caller gets the signal's reason or, without a signal, what it waited for. */
export function dropOver<I, O>({ signal, apartMs, stalledFor, reject }: Waiting<I, O>): boolean {
  if (signal ? !signal.aborted : apartMs === undefined || performance.now() - apartMs < LOCK_WAIT_MAX_MS) return false;
  const details = { retryAfterSeconds: 1 };
  reject(signal?.reason ?? stalledFor ?? new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, details));
  return true;
}

interface Settling<I, O> extends BatchRun<I, O>, RunOptions {}

interface Left<W> {
  readonly items: readonly W[];
  readonly error: unknown;
}

/** Runs the batch until every item has its outcome, or it is to be run apart: then all that is left of it is returned. */
async function settle<I, O>(
  spec: Settling<I, O>,
  taken: readonly Waiting<I, O>[],
): Promise<Left<Waiting<I, O>> | null> {
  const { lockWaitMs } = spec;
  for (let batch = taken, runs = 1; batch.length > 0; batch = stillWaited(batch), runs++) {
    try {
      const items = batch.map(({ item }) => item);
      answer(spec, batch, await spec.run(items, { lockWaitMs }));
      return null;
    } catch (error) {
      if ((spec.runsAgain ?? isConflict)(error, runs)) {
        if (runs >= SHARED_CONFLICTS_MAX && isShared(batch)) return { items: batch, error };
        if (runs > 1) await wait(backoffMs(runs - 1, CONFLICT_PAUSE));
        continue;
      }
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

async function halve<I, O>(spec: Settling<I, O>, batch: readonly Waiting<I, O>[]): Promise<Left<Waiting<I, O>> | null> {
  const middle = Math.ceil(batch.length / 2);
  const former = await settle(spec, stillWaited(batch.slice(0, middle)));
  // Equal serial keys keep their order: what comes after a part without an outcome waits with it.
  if (former) return { ...former, items: [...former.items, ...batch.slice(middle)] };
  return settle(spec, stillWaited(batch.slice(middle)));
}

interface Part<W> {
  readonly name: string;
  readonly tenant: string;
  readonly items: readonly W[];
}

/** Runs the parts, a few at once, until too many have timed out. */
async function settleParts<I, O>(
  spec: Settling<I, O>,
  parts: readonly Part<Waiting<I, O>>[],
): Promise<{ readonly stalled: Stalled<Waiting<I, O>>[]; readonly untried: readonly Part<Waiting<I, O>>[] }> {
  const stalled: Stalled<Waiting<I, O>>[] = [];
  const left = [...parts];
  const work = async (): Promise<void> => {
    while (stalled.length < PARTS_STALLED_MAX) {
      const part = left.shift();
      if (!part) return;
      const timeout = await settle(spec, stillWaited(part.items));
      if (timeout) stalled.push({ ...part, ...timeout, isAlone: true });
    }
  };
  await Promise.all(Array.from({ length: PARTS_AT_ONCE }, work));
  return { stalled, untried: left };
}

/** What is run again of a batch that was rolled back: items whose callers still wait. */
function stillWaited<I, O>(batch: readonly Waiting<I, O>[]): readonly Waiting<I, O>[] {
  return batch.filter((waiting) => !dropOver(waiting));
}

function answer<I, O>(spec: BatchRun<I, O>, batch: readonly Waiting<I, O>[], outcomes: readonly Outcome<O>[]): void {
  batch.forEach((waiting, index) => {
    const outcome = outcomes[index];
    if (!outcome) waiting.reject(new Error(`batch ${spec.name} answered ${outcomes.length} of ${batch.length} items`));
    else if ('ok' in outcome) waiting.resolve(outcome.ok);
    else waiting.reject(outcome.error);
  });
}

/** Whether a batch is of several tenants. */
export function isShared<I, O>(batch: readonly Waiting<I, O>[]): boolean {
  return batch.some(({ tenant }) => tenant !== batch[0]?.tenant);
}

function isConflict(error: unknown, runs: number): boolean {
  return runs < CONFLICT_RUNS_MAX && isTransientConflict(error);
}
