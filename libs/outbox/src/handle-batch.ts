import { AppError } from '@switchboard/contracts/grammar/app-error';
import { RpcUnanswered, type DeliveredEvent, type Disposition } from '@switchboard/nats';
import {
  isTimedOut,
  isTransientConflict,
  isUnavailable,
  OutcomeUnknown,
  sqlState,
  USUAL_LOCK_WAIT_MS,
  type LockWaitMs,
} from '@switchboard/postgres';
import { backoffMs } from '@switchboard/timing';
import { applyEvents, WAITING_BACKOFF, type BatchHandler, type BatchSpec } from './apply-events.js';
import { consumerMetrics } from './consumer-metrics.js';
import { buryFailedEvent, keepLetter } from './dead-letter.js';
import { countFailure } from './event-failures.js';
import { LockedLines } from './locked-lines.js';

/** After so many failures of its own, however often it was delivered, an event is a dead letter. */
const FAILURES_MAX = 8;
/** Before an event that failed is delivered again. */
const FAILED_BACKOFF = { firstMs: 250, maxMs: 60_000 };
/** Timeouts of one line after which the rest of it waits for the next batch: enough to narrow it down in a few. */
const LINE_TIMEOUTS_MAX = 3;
/** Lines of a batch that time out before the others wait for the next one: each costs the batch half a second, or ten. */
const LINES_TIMED_OUT_MAX = 3;
/** The same while the rows of many are locked: each batch has one, and nothing of the others waits behind more. */
const OF_MANY_TIMED_OUT_MAX = 1;
/** Lines by themselves of a batch for which something that they need is away. */
const LINES_AWAY_MAX = 3;
const LOCK_NOT_HAD = '55P03';
/** By handler: what it knows of locks outlasts a batch. */
const lockedLines = new WeakMap<object, LockedLines>();

/**
 * Applies a batch of events once, whatever is delivered twice.
 *
 * A batch that fails is halved until the guilty event stands alone, so that a poison event never blocks its neighbours;
 * it is tried again with growing pauses and becomes a dead letter after 8 failures of its own. Deliveries while something
 * is away are no failures.
 *
 * A batch that times out (a lock that is held for long) is run again line by line, until a few lines have timed out; the line
 * that alone times out is halved, a few times a batch, then left alone for a growing pause. An event that alone times out has
 * failed, if others have passed since its line timed out before: a lock that is common to all is no event's failure.
 * From then on the line shares no transaction with others for 5 s, and from the second line that is found on none does of which
 * nothing is known, while locks are given up early: what shares one holds rows of others. A lock that is given up early is no failure,
 * and not looked for by halves: events of such a line are tried until the first timeout. One line in 10 s is waited for as usual
 * (`LockedLines`).
 */
export async function handleBatch<Prepared>(
  handler: BatchHandler<Prepared>,
  events: readonly DeliveredEvent[],
): Promise<Disposition[]> {
  return settleAll({ handler, origin: 'delivery' }, events);
}

/**
 * Applies dead letters that are marked to be driven again, as if they were delivered now.
 *
 * One that is applied is gone with the effect's transaction; one that fails, or must wait still, stays with the new error,
 * one try more and without its mark. Marks of events that fail for what is away, or whose line is left alone, are left.
 *
 * @param events as `markedLetters` gives them
 * @returns how many marks are gone
 */
export async function redriveBatch<Prepared>(
  handler: BatchHandler<Prepared>,
  events: readonly DeliveredEvent[],
): Promise<number> {
  const dispositions = await settleAll({ handler, origin: 'dead-letter' }, events);
  return dispositions.filter((disposition) => 'ack' in disposition).length;
}

interface Run<Prepared> extends BatchSpec<Prepared> {
  readonly locked: LockedLines;
  /** Of this batch, by line. */
  readonly timeouts: Map<string, number>;
  /** Lines of which something has timed out since others had passed. */
  readonly own: Set<string>;
  /** Lines of which something was applied. */
  readonly passed: Set<string>;
  /** Lines whose locks are waited for as usual. */
  readonly turns: Set<string>;
}

/** What is locked, or may be, is tried after the others, line by line: what is locked once its pause is over. */
async function settleAll<Prepared>(
  spec: BatchSpec<Prepared>,
  events: readonly DeliveredEvent[],
): Promise<Disposition[]> {
  const locked = lockedLines.get(spec.handler) ?? new LockedLines();
  lockedLines.set(spec.handler, locked);
  const none = { timeouts: new Map(), own: new Set<string>(), passed: new Set<string>(), turns: new Set<string>() };
  const run: Run<Prepared> = { ...spec, locked, ...none };
  const lines = Map.groupBy(events, (event) => lineOf(run, event));
  const apart = locked.apart(new Set(lines.keys()));
  const free = events.filter((event) => !apart.has(lineOf(run, event)));
  const settled = new Map<DeliveredEvent, Disposition>();
  const settle = async (part: readonly DeliveredEvent[]): Promise<void> => {
    const dispositions = await halve(run, part);
    part.forEach((event, index) => settled.set(event, dispositions[index] ?? again(run, event)));
  };
  const settleLine = async (line: string, part: readonly DeliveredEvent[]): Promise<void> => {
    if (!locked.isOfMany() || !locked.has(line)) return settle(part);
    if (locked.takesTurn(line)) run.turns.add(line);
    // Until the first timeout: one of each half would hold up the others for seconds.
    for (const some of growing(part)) if (!run.timeouts.has(line)) await settle(some);
  };
  if (free.length > 0) await settle(free);
  const away = new Map<string, unknown>();
  const tried = [...lines].filter(([line]) => apart.has(line) && locked.pauseMs(line) === 0);
  for (const [line, part] of tried.toSorted(([a], [b]) => locked.fromMs(a) - locked.fromMs(b))) {
    if (hasTimedOutEnough(run) || away.size >= LINES_AWAY_MAX) break;
    try {
      await settleLine(line, part);
      if (!run.timeouts.has(line) && run.passed.has(line)) locked.passed(line);
    } catch (error) {
      if (!isNotNow(error)) throw error;
      away.set(line, error);
    }
  }
  // What is away for all is reported; for one alone, as where its row of another service is locked, that one is left alone.
  if (away.size > 0 && run.passed.size === 0) throw [...away.values()][0];
  for (const line of away.keys()) locked.timedOut(line);
  if (away.size > 0) run.handler.onLinesAway(away);
  return events.map((event) => settled.get(event) ?? again(run, event));
}

function hasTimedOutEnough<Prepared>({ locked, timeouts }: Run<Prepared>): boolean {
  return timeouts.size >= (locked.isOfMany() ? OF_MANY_TIMED_OUT_MAX : LINES_TIMED_OUT_MAX);
}

async function halve<Prepared>(run: Run<Prepared>, events: readonly DeliveredEvent[]): Promise<Disposition[]> {
  const lockWaitMs = lockWaitOf(run, events);
  try {
    const { dispositions, applied, tookMs } = await applyEvents({ ...run, lockWaitMs }, events);
    // Duplicates, and what must wait, have taken no lock.
    if (applied > 0) {
      const lines = events.map((event) => lineOf(run, event));
      for (const line of lines) run.passed.add(line);
      run.locked.somethingPassed(lines, tookMs);
    }
    return dispositions;
  } catch (error) {
    if (isTimedOut(error)) return splitTimedOut(run, events, error, lockWaitMs);
    if (isNotNow(error)) {
      consumerMetrics().handled(run.handler.consumer, 'failed', events.length);
      throw error;
    }
    if (events.length > 1) return inHalves(run, events);
    return Promise.all(events.map((event) => giveBackOrBury(run, event, error)));
  }
}

function lockWaitOf<Prepared>(run: Run<Prepared>, events: readonly DeliveredEvent[]): LockWaitMs {
  const [line = '', ...others] = new Set(events.map((event) => lineOf(run, event)));
  if (others.length > 0) return run.locked.sharedWaitMs();
  return run.turns.has(line) ? USUAL_LOCK_WAIT_MS : run.locked.aloneWaitMs();
}

async function inHalves<Prepared>(run: Run<Prepared>, events: readonly DeliveredEvent[]): Promise<Disposition[]> {
  const middle = Math.ceil(events.length / 2);
  const former = await halve(run, events.slice(0, middle));
  return [...former, ...(await halve(run, events.slice(middle)))];
}

async function splitTimedOut<Prepared>(
  run: Run<Prepared>,
  events: readonly DeliveredEvent[],
  error: unknown,
  lockWaitMs: LockWaitMs,
): Promise<Disposition[]> {
  const lines = Map.groupBy(events, (event) => lineOf(run, event));
  if (lines.size > 1) {
    run.locked.sharedTimedOut();
    const settled = new Map<DeliveredEvent, Disposition>();
    for (const part of lines.values()) {
      if (run.timeouts.size >= LINES_TIMED_OUT_MAX) break;
      const dispositions = await halve(run, part);
      part.forEach((event, index) => settled.set(event, dispositions[index] ?? again(run, event)));
    }
    return events.map((event) => settled.get(event) ?? again(run, event));
  }
  const wasEarly = lockWaitMs < USUAL_LOCK_WAIT_MS && sqlState(error) === LOCK_NOT_HAD;
  const [line = ''] = lines.keys();
  const timeouts = (run.timeouts.get(line) ?? 0) + 1;
  run.timeouts.set(line, timeouts);
  const isOwn = timeouts === 1 ? run.locked.timedOut(line) : run.locked.timedOutAgain(line);
  if (isOwn) run.own.add(line);
  if (wasEarly) return giveBack(run, events);
  if (events.length > 1) {
    const isTried = run.turns.has(line) || timeouts >= LINE_TIMEOUTS_MAX;
    return isTried ? giveBack(run, events) : inHalves(run, events);
  }
  if (!run.own.has(line)) return giveBack(run, events);
  return Promise.all(events.map((event) => giveBackOrBury(run, event, error)));
}

/** One event, then more and more, by aggregate, beginning at any of them: what is locked of a line may be the first of it. */
function growing(events: readonly DeliveredEvent[]): DeliveredEvent[][] {
  const aggregates = [...Map.groupBy(events, ({ envelope }) => envelope.aggregateId).values()];
  const from = Math.floor(Math.random() * aggregates.length);
  const turned = [...aggregates.slice(from), ...aggregates.slice(0, from)].flat();
  const parts: DeliveredEvent[][] = [];
  for (let size = 1; turned.length > 0; size *= 2) parts.push(turned.splice(0, size));
  return parts;
}

function giveBack<Prepared>(run: Run<Prepared>, events: readonly DeliveredEvent[]): Disposition[] {
  consumerMetrics().handled(run.handler.consumer, 'waiting', events.length);
  return events.map((event) => again(run, event));
}

/** Not tried, so not failed either. */
function again<Prepared>(run: Run<Prepared>, event: DeliveredEvent): Disposition {
  return { retryAfterMs: Math.max(WAITING_BACKOFF.firstMs, run.locked.pauseMs(lineOf(run, event))) };
}

function lineOf<Prepared>({ handler }: Run<Prepared>, { envelope }: DeliveredEvent): string {
  return handler.lineOf?.(envelope) ?? envelope.organizationId ?? '';
}

/** Something that is needed is away: no event is at fault, none is halved or buried for it, however long it lasts. */
export function isNotNow(error: unknown): boolean {
  return (
    isUnavailable(error) ||
    isTransientConflict(error) ||
    error instanceof OutcomeUnknown ||
    error instanceof RpcUnanswered ||
    (error instanceof AppError && error.status === 503)
  );
}

async function giveBackOrBury<Prepared>(
  { handler, origin }: Run<Prepared>,
  event: DeliveredEvent,
  error: unknown,
): Promise<Disposition> {
  if (origin === 'delivery') {
    const failures = await countFailure(handler.database, handler.consumer, event.envelope.id);
    if (failures < FAILURES_MAX) {
      consumerMetrics().handled(handler.consumer, 'failed', 1);
      return { retryAfterMs: backoffMs(failures, FAILED_BACKOFF) };
    }
  }
  const bury = origin === 'delivery' ? buryFailedEvent : keepLetter;
  await bury(handler.database, handler.consumer, event, error);
  consumerMetrics().handled(handler.consumer, 'dead', 1);
  handler.onDead(event, error);
  return { ack: true };
}
