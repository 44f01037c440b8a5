import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DeliveredEvent } from '@switchboard/nats';
import { buryEvent, handleBatch, redriveBatch, RedriveWalk, type BatchHandler } from '@switchboard/outbox';
import { statement, type Database } from '@switchboard/postgres';
import { testServers } from '../index.js';
import {
  applied,
  deadLetters,
  delivered,
  eventFailures,
  insertApplied,
  markAllLetters,
  Outbox1764000000000,
} from './outbox-fixture.js';

const servers = testServers();
const lockAggregates = statement(
  't.lock-aggregates',
  'SELECT FROM aggregate WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE',
);

let superuser: Database;
let database: Database;
const dead: string[] = [];
beforeAll(async () => {
  const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  superuser = await prepared.superuser();
  database = await prepared.database();
  await superuser.dataSource.query(`INSERT INTO contacts.aggregate VALUES ('locked', 1)`);
});
beforeEach(async () => {
  dead.length = 0;
  await superuser.dataSource.query('TRUNCATE contacts.applied, contacts.dead_letter, contacts.event_failure');
});

const appliedIds = async (): Promise<string[]> => (await database.query(applied, [])).map(({ eventId }) => eventId);
const idsOf = (events: readonly DeliveredEvent[]): string[] => events.map(({ envelope }) => envelope.id);

describe('a batch of events with a row that is locked for long', () => {
  /** An effect that waits for the lock of its organization's row. */
  const locking = (): BatchHandler<null> => ({
    database,
    consumer: 'test',
    prepare: () => Promise.resolve(null),
    apply: async (tx, fresh) => {
      const organizations = [...new Set(fresh.map(({ envelope }) => envelope.organizationId))];
      await tx.query(lockAggregates, [organizations]);
      await tx.query(insertApplied, [idsOf(fresh), fresh.map(({ envelope }) => envelope.sequence)]);
      return new Set();
    },
    onDead: ({ envelope }) => void dead.push(envelope.id),
    onLinesAway: () => undefined,
  });
  const of = (organization: string, deliveries = 1, id?: string): DeliveredEvent =>
    delivered(1, deliveries, id, organization);

  it('applies the events of the others, leaves the locked ones alone for a while, and applies them afterwards', async () => {
    const handler = locking();
    const locked = Array.from({ length: 20 }, () => of('locked'));
    const free = Array.from({ length: 20 }, () => of('free'));
    const holder = await superuser.connect();
    // Stands still: the pause of the locked ones does not end, however long the others take.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    try {
      await holder.query('BEGIN');
      await holder.query(`SELECT FROM contacts.aggregate WHERE id = 'locked' FOR UPDATE`);
      const mixed = locked.flatMap((event, index) => [event, free[index] ?? event]);
      const dispositions = await handleBatch(handler, mixed);
      expect(dispositions).toEqual(
        locked.flatMap(() => [{ retryAfterMs: expect.any(Number) }, { ack: true }] as const),
      );
      expect((await appliedIds()).toSorted()).toEqual(idsOf(free).toSorted());
      // Now it is known: it costs the others nothing.
      let tries = 0;
      const counting = Object.assign(handler, { prepare: async () => (tries++, null) });
      const [again] = await handleBatch(counting, [...locked, of('free', 1, free[0]?.envelope.id)]);
      expect([again, tries]).toEqual([{ retryAfterMs: expect.any(Number) }, 1]);
    } finally {
      clock.mockRestore();
      await holder.query('ROLLBACK');
      holder.release();
    }
    expect(await handleBatch(locking(), locked)).toEqual(locked.map(() => ({ ack: true })));
    expect([dead, await database.query(deadLetters, [])]).toEqual([[], []]);
  });

  /** Runs the work while the statement's locks are held. */
  const whileLocked = async (lock: string, work: () => Promise<void>): Promise<void> => {
    const holder = await superuser.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(lock);
      await work();
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  };
  const lockedRow = `SELECT FROM contacts.aggregate WHERE id = 'locked' FOR UPDATE`;
  const wholeTable = 'LOCK contacts.aggregate';
  /** Monotonic time stands still but for `passes`. */
  const stoppedClock = (): { passes(ms?: number): void; restore(): void } => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    return {
      passes: (ms = 60_000) => void clock.mockReturnValue(performance.now() + ms),
      restore: () => clock.mockRestore(),
    };
  };

  it('buries an event that times out by itself eight times, while others pass', async () => {
    const [handler, event, clock] = [locking(), of('locked'), stoppedClock()];
    try {
      await whileLocked(lockedRow, async () => {
        const answers = [];
        for (let failure = 0; failure <= 8; failure++) {
          const [own, free] = await handleBatch(handler, [event, of('free')]);
          expect(free).toEqual({ ack: true });
          answers.push(own);
          clock.passes();
        }
        expect(answers).toEqual([...Array(8).fill({ retryAfterMs: expect.any(Number) }), { ack: true }]);
      });
    } finally {
      clock.restore();
    }
    expect(dead).toEqual(idsOf([event]));
    expect(await database.query(deadLetters, [])).toMatchObject([{ error: expect.stringContaining('lock timeout') }]);
  });

  it('counts no failure of any event while everything times out, and applies all of them afterwards', async () => {
    const [handler, events, clock] = [locking(), [of('one'), of('other')], stoppedClock()];
    try {
      await whileLocked(wholeTable, async () => {
        for (let times = 0; times < 3; times++) {
          const again = { retryAfterMs: expect.any(Number) };
          expect(await handleBatch(handler, events)).toEqual([again, again]);
          clock.passes();
        }
      });
      expect(await database.query(eventFailures, [])).toEqual([]);
      expect(await handleBatch(handler, events)).toEqual([{ ack: true }, { ack: true }]);
    } finally {
      clock.restore();
    }
  });

  it('tries no further lines of a batch when a few have timed out', async () => {
    let tries = 0;
    const handler = Object.assign(locking(), { prepare: async () => (tries++, null) });
    const events = Array.from({ length: 5 }, (_, index) => of(`line-${index}`));
    const clock = stoppedClock();
    try {
      await whileLocked(wholeTable, async () => {
        await handleBatch(handler, events);
        // All at once, and three of them.
        expect(tries).toBe(4);
        // As well when all are known to be locked.
        await handleBatch(handler, events);
        clock.passes();
        tries = 0;
        await handleBatch(handler, events);
        expect(tries).toBe(3);
      });
    } finally {
      clock.restore();
    }
  });

  /** Notes which organizations shared a transaction. */
  const noting = (handler: BatchHandler<null>): { handler: BatchHandler<null>; runs: (string | null)[][] } => {
    const runs: (string | null)[][] = [];
    const { prepare } = handler;
    const noted = (events: readonly DeliveredEvent[]): Promise<null> => {
      runs.push([...new Set(events.map(({ envelope }) => envelope.organizationId))]);
      return prepare(events);
    };
    return { handler: Object.assign(handler, { prepare: noted }), runs };
  };

  it('has none that has passed share a transaction with one of which nothing is known, from the second that is found on', async () => {
    const clock = stoppedClock();
    try {
      const { handler, runs } = noting(locking());
      await superuser.dataSource.query(`INSERT INTO contacts.aggregate VALUES ('locked-2', 1), ('locked-3', 1)`);
      await whileLocked(`SELECT FROM contacts.aggregate WHERE id LIKE 'locked%' FOR UPDATE`, async () => {
        const again = { retryAfterMs: expect.any(Number) };
        const done = { ack: true };
        const first = ['locked', 'locked-2', 'free', 'other'].map((name) => of(name));
        expect(await handleBatch(handler, first)).toEqual([again, again, done, done]);
        runs.length = 0;
        const second = ['locked-3', 'free', 'new', 'other'].map((name) => of(name));
        expect(await handleBatch(handler, second)).toEqual([again, done, again, done]);
        expect(await handleBatch(handler, second.slice(2, 3))).toEqual([done]);
        expect(runs).toEqual([['free', 'other'], ['locked-3'], ['new']]);
        // A lock that is given up early is no failure.
        expect(await database.query(eventFailures, [])).toEqual([]);
      });
    } finally {
      clock.restore();
    }
  });

  it('keeps a line apart for 5 s after its last timeout, though something of it passes', async () => {
    const clock = stoppedClock();
    try {
      let isLocked = true;
      const { handler, runs } = noting(locking());
      const { apply } = handler;
      handler.apply = (tx, events, ...more) => (isLocked ? apply(tx, events, ...more) : Promise.resolve(new Set()));
      await whileLocked(lockedRow, async () => {
        await handleBatch(handler, [of('locked'), of('free')]);
        isLocked = false;
        clock.passes(4_000);
        await handleBatch(handler, [of('locked'), of('free')]);
        runs.length = 0;
        clock.passes(1_000);
        await handleBatch(handler, [of('locked'), of('free')]);
        clock.passes(1);
        await handleBatch(handler, [of('locked'), of('free')]);
        expect(runs).toEqual([['free'], ['locked'], ['locked', 'free']]);
      });
    } finally {
      clock.restore();
    }
  });

  it('leaves the marks of dead letters whose line is locked, and drives those behind them again without trying them', async () => {
    const clock = stoppedClock();
    try {
      const handler = locking();
      const letters = [...Array.from({ length: 60 }, () => of('locked')), of('free')];
      for (const letter of letters) await buryEvent(database, 'test', letter, 'at first');
      await database.query(markAllLetters, []);
      await whileLocked(lockedRow, async () => {
        await handleBatch(handler, [of('locked')]);
        const walk = new RedriveWalk(database, 'test');
        const round = (): Promise<boolean | number> => walk.round((page) => redriveBatch(handler, page));
        expect(await round()).toEqual(expect.any(Number));
        expect(await appliedIds()).toEqual([]);
        // Goes on, and rests when there is nothing that may be tried.
        expect(await round()).toBe(true);
        expect(await appliedIds()).toEqual(idsOf(letters.slice(-1)));
        expect([await round(), await round()]).toEqual([expect.any(Number), false]);
      });
      expect(await database.query(deadLetters, [])).toHaveLength(60);
    } finally {
      clock.restore();
    }
  });
});
