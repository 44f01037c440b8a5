import {
  isTimedOut,
  requireAgreedClocks,
  sqlState,
  statement,
  type Database,
  type Queryable,
  type Statement,
} from '@switchboard/postgres';
import { backoffMs, jittered, onBeat, type OnBeat } from '@switchboard/timing';

const keepOutbox = statement('outbox.keep-partitions', 'SELECT keep_outbox_partitions($1)');
const pastPartitions = statement<{ name: string }>(
  'outbox.past-partitions',
  'SELECT past AS name FROM past_partitions($1) AS past',
);
const dropPast = statement<{ isDropped: boolean }>(
  'outbox.drop-partition',
  'SELECT drop_past_partition($1, $2) AS "isDropped"',
);
/**
 * What is pending is looked through before the lock that stops every writer and again under it, with the entries of what was published
 * that an old snapshot keeps: a drop that takes longer, its wait for the lock included, gives up before it stops writers for longer.
 */
const dropSoon = statement('outbox.drop-soon', `SET LOCAL statement_timeout = '500ms'`);
/** While more is pending than this, no day is dropped: what an outage of the broker has left is published before. */
const PENDING_MAX = 100_000;
const hasManyPending = statement<{ isMany: boolean }>(
  'outbox.has-many-pending',
  `SELECT count(*) > ${PENDING_MAX} AS "isMany" FROM (SELECT FROM outbox_pending LIMIT ${PENDING_MAX + 1}) AS pending`,
);
const pruneFailures = statement(
  'event-failure.prune',
  'DELETE FROM event_failure WHERE event_id < cuid_floor(now() - make_interval(days => $1::int))',
);

/** Days of outbox kept, and so how far back a lost stream is replayed: one more than a stream holds. */
export const OUTBOX_RETENTION_DAYS = 8;
/** Days of inbox kept, see `past_partitions()`: what is replayed on the outbox's last day is still known. */
export const INBOX_RETENTION_DAYS = OUTBOX_RETENTION_DAYS + 2;
const INTERVAL_MS = 60 * 60 * 1_000;
/** How often the wall clock is looked at. An event for which there is no day yet is a dead letter after eight tries, 24 s. */
const CLOCK_LOOK_MS = 10_000;
/** By more than the longest interval the wall clock does not move between two rounds, unless it was set. */
const SET_BY_MS = 2 * INTERVAL_MS;
/** After a failure: a service that was away for long may have no day to write to, and refuses until it has. */
const RETRY = { firstMs: 1_000, maxMs: 60 * 1_000 };
const UNDEFINED_TABLE = '42P01';

/** What else a service partitions: makes what is written to and, if it may, drops what is past retention. */
export type KeepMore = (mayDrop: boolean) => Promise<void>;

/**
 * Makes the partitions of the days ahead and drops those past retention: at start, every hour, and soon after a failure. When the wall
 * clock was set, or the machine has slept, they are made at once: timers stand still meanwhile, and the days that there are may be over.
 * Nothing is dropped then before the next hour, for a clock that was set wrong is set right.
 */
export class PartitionKeeper {
  private timer: NodeJS.Timeout | undefined;
  private beat: OnBeat | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;
  /** When the last round began, by the wall clock. */
  private keptAtMs = 0;
  /** One after the other. */
  private failures = 0;

  /** @param more what else the service partitions */
  constructor(
    private readonly database: Database,
    private readonly onError: (error: unknown) => void,
    private readonly more?: KeepMore,
  ) {}

  start(): void {
    this.beat = onBeat(CLOCK_LOOK_MS, () => this.lookAtClock());
    this.round();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.beat?.stop();
    clearTimeout(this.timer);
    await this.running;
  }

  private lookAtClock(): void {
    if (this.timer === undefined || Math.abs(Date.now() - this.keptAtMs) < SET_BY_MS) return;
    clearTimeout(this.timer);
    this.round(false);
  }

  private round(mayDrop = true): void {
    this.timer = undefined;
    this.keptAtMs = Date.now();
    this.running = this.keep(mayDrop);
  }

  private async keep(mayDrop: boolean): Promise<void> {
    const errors = await keepPartitions(this.database, this.more, { mayDrop });
    for (const error of errors) this.onError(error);
    this.failures = errors.length > 0 ? this.failures + 1 : 0;
    const pauseMs = this.failures > 0 ? backoffMs(this.failures, RETRY) : jittered(INTERVAL_MS);
    if (!this.isStopped) this.timer = setTimeout(() => this.round(mayDrop || this.failures === 0), pauseMs);
  }
}

/**
 * One round: what is written to first, then `more`, then what is dropped. One that fails keeps no other from being made.
 *
 * @param options `now`: see `requireAgreedClocks`: while the clocks differ nothing is dropped, which is an error
 * @returns the errors of those that failed
 */
export async function keepPartitions(
  database: Database,
  more: KeepMore = () => Promise.resolve(),
  { now, mayDrop = true }: { readonly now?: () => number; readonly mayDrop?: boolean } = {},
): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  const drop = (): Promise<void> => (mayDrop ? dropOutboxPartitions(database, now) : Promise.resolve());
  for (const step of [() => makeOutboxPartitions(database), () => more(mayDrop), drop]) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}

async function makeOutboxPartitions(database: Database): Promise<void> {
  await database.query(keepOutbox, [OUTBOX_RETENTION_DAYS]);
}

async function dropOutboxPartitions(database: Database, now?: () => number): Promise<void> {
  await requireAgreedClocks(database, now);
  await database.query(pruneFailures, [INBOX_RETENTION_DAYS]);
  const [pending] = await database.query(hasManyPending, []);
  if (pending?.isMany === true) return;
  await dropPartitions(database, {
    past: pastPartitions,
    drop: dropPast,
    days: OUTBOX_RETENTION_DAYS,
    bound: dropSoon,
    now,
  });
}

/** Partitions whose time is over. */
export interface PastPartitions {
  /** Names them, $1: days. */
  readonly past: Statement<{ readonly name: string }>;
  /** Drops $1 unless it must stay, $2: days; does not wait long for its lock. */
  readonly drop: Statement<{ readonly isDropped: boolean }>;
  readonly days: number;
  /** Bounds the drop; its transaction begins with it. */
  readonly bound?: Statement;
  /** See `requireAgreedClocks`. */
  readonly now?: (() => number) | undefined;
}

/**
 * Each partition is dropped in a transaction of its own, which waits 250 ms for its lock: everybody who uses the table
 * waits behind it meanwhile. One that is not to be had, or takes longer than it may, is left for the next round.
 *
 * @returns the names of those that are gone, and of those that are there still
 * @throws ClocksDifferError; nothing is dropped then
 */
export async function dropPartitions(
  database: Database,
  { past, drop, days, bound, now }: PastPartitions,
): Promise<{ readonly gone: readonly string[]; readonly left: readonly string[] }> {
  const gone: string[] = [];
  const left: string[] = [];
  await requireAgreedClocks(database, now);
  for (const { name } of await database.query(past, [days])) {
    const dropOne = async (tx: Queryable): Promise<{ readonly isDropped: boolean }[]> => {
      if (bound) await tx.query(bound, []);
      return tx.query(drop, [name, days]);
    };
    const [row] = await database.transaction(dropOne).catch((error: unknown) => {
      // Another replica may have dropped it while this one waited for its lock.
      if (!isTimedOut(error) && sqlState(error) !== UNDEFINED_TABLE) throw error;
      return [];
    });
    (row?.isDropped === true ? gone : left).push(name);
  }
  return { gone, left };
}
