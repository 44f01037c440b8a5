import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import {
  isTimedOut,
  isUnavailable,
  migrate,
  OutcomeUnknown,
  queryWithin,
  statement,
  type Database,
} from '@switchboard/postgres';
import { coalesce } from '@switchboard/postgres/coalesce';
import fc from 'fast-check';
import { describeCoalesceLaw, type CoalesceSubject } from '../describe-coalesce-law.js';
import { testServers, type ServiceDatabase } from '../index.js';
import { proxyTo } from './database-proxy.js';

const servers = testServers();

class Counters1764000000000 {
  readonly name = 'Counters1764000000000';

  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query(`
      CREATE TABLE contacts.counter (
        tenant text NOT NULL,
        key text NOT NULL,
        total integer NOT NULL CHECK (total < 1000),
        PRIMARY KEY (tenant, key)
      );
      CREATE TABLE contacts.late (id integer UNIQUE DEFERRABLE INITIALLY DEFERRED);
    `);
  }

  async down(): Promise<void> {}
}

const insertCounter = statement('t.insert', 'INSERT INTO counter (tenant, key, total) VALUES ($1, $2, $3)');
const insertLate = statement('t.insert-late', 'INSERT INTO late (id) VALUES ($1)');
const countCounters = statement<{ n: number }>('t.count', 'SELECT count(*)::int AS n FROM counter');
const backend = statement<{ pid: number }>('t.backend', 'SELECT pg_backend_pid() AS pid');
const lockTimeout = statement<{ value: string }>('t.lock-timeout', `SELECT current_setting('lock_timeout') AS value`);
const statementTimeout = statement<{ value: string }>(
  't.statement-timeout',
  `SELECT current_setting('statement_timeout') AS value`,
);
const sleep = statement('t.sleep', 'SELECT pg_sleep(20)');
const addUp = statement<{ tenant: string; key: string; total: number }>(
  't.add-up',
  `INSERT INTO counter (tenant, key, total)
   SELECT tenant, key, sum(amount)::int FROM unnest($1::text[], $2::text[], $3::int[]) AS added(tenant, key, amount)
   GROUP BY tenant, key ORDER BY tenant, key
   ON CONFLICT (tenant, key) DO UPDATE SET total = counter.total + excluded.total RETURNING tenant, key, total`,
);

let prepared: ServiceDatabase;
beforeAll(async () => (prepared = await servers.serviceDatabase('contacts', [Counters1764000000000])));

describe('a transaction', () => {
  let database: Database;
  let superuser: Database;
  const count = async (): Promise<number | undefined> => (await superuser.query(countCounters, []))[0]?.n;
  const pid = async (): Promise<number | undefined> => (await database.query(backend, []))[0]?.pid;

  beforeAll(async () => {
    // One connection: whatever is left on it is the next caller's.
    database = await prepared.database({ poolMax: 1 });
    superuser = await prepared.superuser();
  });
  beforeEach(() => superuser.dataSource.query('TRUNCATE contacts.counter, contacts.late'));

  it('leaves nothing when the work throws, and keeps its connection for the next caller', async () => {
    const before = await pid();
    for (let n = 0; n < 3; n++) {
      const refused = database.transaction(async (tx) => {
        await tx.query(insertCounter, ['a', 'k', 1]);
        throw new AppError(serviceErrors.NOT_FOUND);
      });
      await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(database.transaction(() => Promise.reject(new Error('before any statement')))).rejects.toThrow(
        'before',
      );
    }
    expect([await count(), await pid()]).toEqual([0, before]);
    await database.transaction((tx) => tx.query(insertCounter, ['a', 'k', 1]));
    expect(await count()).toBe(1);
  });

  it('lives on when a session ends that is lent out, or was given back broken', async () => {
    const other = await prepared.database({ poolMax: 3 });
    const given = await other.connect();
    given.release(true);
    const lent = await other.connect();
    try {
      const ended = new Error('Connection terminated unexpectedly');
      // What the driver does when the server is gone; an event without a listener is thrown, and ends the process.
      for (const client of [given, lent]) expect(() => client.emit('error', ended)).not.toThrow();
    } finally {
      lent.release(true);
    }
  });

  it('rolls all of it back when a statement fails that travels with COMMIT, and says which', async () => {
    const before = await pid();
    const failing = database.transaction(async (tx) => {
      await tx.query(insertCounter, ['a', 'k', 1]);
      tx.atCommit(insertCounter, ['a', 'l', 5_000]);
      tx.atCommit(insertCounter, ['a', 'm', 1]);
    });
    await expect(failing).rejects.toMatchObject({ code: '23514' });
    expect([await count(), await pid()]).toEqual([0, before]);
  });

  it('rolls all of it back when a statement that travels with COMMIT cannot even be sent', async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    for (const first of [true, false]) {
      const failing = database.transaction(async (tx) => {
        if (first) await tx.query(insertCounter, ['a', 'k', 1]);
        tx.atCommit(insertCounter, ['a', 'l', 1]);
        tx.atCommit(insertCounter, [circular, 'm', 1]);
      });
      await expect(failing).rejects.toThrow('circular');
      expect(await count()).toBe(0);
    }
    await database.transaction((tx) => tx.query(insertCounter, ['a', 'k', 1]));
    expect(await count()).toBe(1);
  });

  it('gives up a lock after 500 ms when it has short locks, by every way of beginning, and only then', async () => {
    await database.transaction((tx) => tx.query(insertCounter, ['a', 'k', 1]));
    const holder = await superuser.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM contacts.counter FOR UPDATE');
      const short = { hasShortLocks: true };
      for (let times = 0; times < 2; times++) {
        const asked = database.transaction((tx) => tx.query(addUp, [['a'], ['k'], [1]]), short);
        await expect(asked).rejects.toMatchObject({ code: '55P03' });
        const sent = database.transaction(async (tx) => tx.atCommit(addUp, [['a'], ['k'], [1]]), short);
        await expect(sent).rejects.toMatchObject({ code: '55P03' });
      }
      expect(await database.transaction((tx) => tx.query(lockTimeout, []), short)).toEqual([{ value: '500ms' }]);
      for (const lockWaitMs of [200, 100, 50] as const) {
        const early = { ...short, lockWaitMs };
        const value = `${lockWaitMs}ms`;
        expect(await database.transaction((tx) => tx.query(lockTimeout, []), early)).toEqual([{ value }]);
      }
      expect(await database.transaction((tx) => tx.query(lockTimeout, []))).toEqual([{ value: '5s' }]);
      expect(await database.query(lockTimeout, [])).toEqual([{ value: '5s' }]);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });

  it('gives up a statement with a time limit of its own after that, and leaves the limit of others as it was', async () => {
    const begunMs = performance.now();
    const slow = await queryWithin(database, 200, { statement: sleep, values: [] }).catch((error: unknown) => error);
    expect([isTimedOut(slow), performance.now() - begunMs < 10_000]).toEqual([true, true]);
    const asked = { statement: statementTimeout, values: [] };
    expect(await queryWithin(database, 1_000, asked)).toEqual([{ value: '1s' }]);
    expect(await database.query(statementTimeout, [])).toEqual([{ value: '10s' }]);
  });

  it('names the statement that failed, not one that was refused for it and whose refusal the work heard first', async () => {
    const failing = database.transaction(async (tx) => {
      await tx.query(countCounters, []);
      const wrong = tx.query(insertCounter, ['a', 'k', 5_000]);
      const refused = tx.query(countCounters, []);
      await Promise.allSettled([wrong, refused]);
      return refused;
    });
    await expect(failing).rejects.toMatchObject({ code: '23514' });
  });

  it('counts a refusal by COMMIT itself as a rollback, not as an unknown outcome', async () => {
    const failing = database.transaction(async (tx) => {
      await tx.query(insertLate, [1]);
      await tx.query(insertLate, [1]);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    await database.transaction((tx) => tx.query(insertLate, [1]));
  });

  it('outlives a session that is killed while the work waits, as a missing dependency and not as a crash', async () => {
    const killed = database.transaction(async (tx) => {
      const [own] = await tx.query(backend, []);
      await superuser.dataSource.query('SELECT pg_terminate_backend($1, 5000)', [own?.pid]);
      await tx.query(insertCounter, ['a', 'k', 1]);
    });
    const error: unknown = await killed.catch((reason: unknown) => reason);
    expect(isUnavailable(error)).toBe(true);
    expect(error).not.toBeInstanceOf(OutcomeUnknown);
    await database.transaction((tx) => tx.query(insertCounter, ['a', 'k', 1]));
    expect(await count()).toBe(1);
  });

  it('has an unknown outcome when the answer to COMMIT is lost, although it stands', async () => {
    let committing = false;
    const proxy = await proxyTo(servers, prepared.url, {
      ask: (chunk) => ((committing ||= chunk.includes('COMMIT')), chunk),
      // The server has answered the COMMIT: both sides are cut, and the answer is lost.
      answer: (chunk) => (committing && chunk.includes('COMMIT') ? null : chunk),
    });
    const distant = await prepared.database({ url: proxy.url, poolMax: 1 });
    const committed = distant.transaction((tx) => tx.query(insertCounter, ['a', 'k', 1]));
    await expect(committed).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(await count()).toBe(1);
  });

  it('has an unknown outcome when that answer is lost with those to what travelled along', async () => {
    let isLosing = false;
    const proxy = await proxyTo(servers, prepared.url, {
      answer: (chunk) => (isLosing && chunk.includes('COMMIT') ? null : chunk),
    });
    const distant = await prepared.database({ url: proxy.url, poolMax: 1 });
    const insertTwo = async (keys: readonly string[]): Promise<void> =>
      distant.transaction(async (tx) => keys.forEach((key) => tx.atCommit(insertCounter, ['a', key, 1])));
    // Prepares the statement on the connection.
    await insertTwo(['k', 'l']);
    isLosing = true;
    await expect(insertTwo(['m', 'n'])).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(await count()).toBe(4);
  });
});

describe('migrations', () => {
  it('are applied once when two steps run at the same time', async () => {
    const { migratorUrl, role } = await servers.serviceDatabase('contacts', []);
    const run = (): Promise<string[]> =>
      migrate({ url: migratorUrl, schema: 'contacts', migrations: [Counters1764000000000], serviceRole: role });
    expect((await Promise.all([run(), run(), run()])).flat()).toEqual(['Counters1764000000000']);
  });
});

interface Amount {
  readonly tenant: string;
  readonly key: string;
  readonly amount: number;
}

describeCoalesceLaw<Amount>({
  name: 'a set-based upsert',
  open: async (): Promise<CoalesceSubject<Amount>> => {
    const database = await prepared.database();
    const { dataSource } = await prepared.superuser();
    const batchSizes: number[] = [];
    const call = coalesce<Amount, null>({
      name: 'test.add-up',
      run: async (items) => {
        batchSizes.push(items.length);
        await database.transaction((tx) =>
          tx.query(addUp, [
            items.map(({ tenant }) => tenant),
            items.map(({ key }) => key),
            items.map(({ amount }) => amount),
          ]),
        );
        return items.map(() => ({ ok: null }));
      },
      tenant: ({ tenant }) => tenant,
      limits: { items: 100, bytes: 1, inFlight: 2, waiting: 1_000 },
    });
    return {
      call,
      batchSizes,
      clear: () => dataSource.query('TRUNCATE contacts.counter'),
      stored: (tenant) =>
        dataSource.query('SELECT key, total FROM contacts.counter WHERE tenant = $1 ORDER BY key', [tenant]),
    };
  },
  items: fc.record({
    tenant: fc.constantFrom('calice', 'cbob'),
    key: fc.constantFrom('k', 'l'),
    amount: fc.integer({ min: 1, max: 9 }),
  }),
  tenant: ({ tenant }) => tenant,
  poison: { tenant: 'calice', key: 'k', amount: 5_000 },
  writing: ['k', 'l', 'm'].map((key) => ({ tenant: 'cbob', key, amount: 1 })),
  table: 'contacts.counter',
  superuser: () => prepared.superuser(),
});
