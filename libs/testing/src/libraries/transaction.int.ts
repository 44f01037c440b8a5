import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { statement, type Database, type Transaction } from '@switchboard/postgres';
import { context, trace } from '@opentelemetry/api';
import { collectSpans } from '../collect-spans.js';
import { testServers } from '../index.js';
import { proxyTo } from './database-proxy.js';

const servers = testServers();

class Counters1764000000000 {
  readonly name = 'Counters1764000000000';

  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query(
      'CREATE TABLE contacts.counter (tenant text NOT NULL, key text NOT NULL, total integer NOT NULL)',
    );
  }

  async down(): Promise<void> {}
}

const insertCounter = statement('t.insert', 'INSERT INTO counter (tenant, key, total) VALUES ($1, $2, $3)');
const countCounters = statement<{ n: number }>('t.count', 'SELECT count(*)::int AS n FROM counter');
const holdCounters = statement('t.hold', 'SELECT key FROM counter FOR KEY SHARE', { writesNothing: true });

describe('a transaction that does not begin', () => {
  let distant: Database;
  let superuser: Database;
  let refusing = false;
  beforeAll(async () => {
    const prepared = await servers.serviceDatabase('contacts', [Counters1764000000000]);
    superuser = await prepared.superuser();
    // Every word of BEGIN is misspelt on its way, and nothing else.
    const ask = (chunk: Buffer): Buffer =>
      refusing
        ? Buffer.from(
            chunk.toString('latin1').replaceAll('transaction.begin', 'transaction.begix').replaceAll('BEGIN', 'BEGIX'),
            'latin1',
          )
        : chunk;
    distant = await prepared.database({ url: (await proxyTo(servers, prepared.url, { ask })).url, poolMax: 1 });
  });
  beforeEach(async () => {
    refusing = false;
    await superuser.dataSource.query('TRUNCATE contacts.counter');
    await distant.transaction((tx) => tx.query(countCounters, []));
    await distant.transaction((tx) => tx.query(insertCounter, ['known', 'k', 1]));
    refusing = true;
  });

  const counter = (key: string): readonly unknown[] => ['a', key, 1];
  it.each<[string, Parameters<Database['transaction']>[0]]>([
    ['its first statement', (tx) => tx.query(insertCounter, counter('k'))],
    [
      'what is asked in parallel to its first statement',
      (tx) => Promise.all(['k', 'l', 'm'].map((key) => tx.query(insertCounter, counter(key)))),
    ],
    [
      'what is asked next to a statement that writes nothing, and did not wait',
      (tx) =>
        Promise.all([tx.query(countCounters, []), tx.query(holdCounters, []), tx.query(insertCounter, counter('k'))]),
    ],
    ['what travels with COMMIT', async (tx) => tx.atCommit(insertCounter, counter('k'))],
    [
      'anything of what travels with COMMIT',
      async (tx) => ['k', 'l', 'm'].forEach((key) => tx.atCommit(insertCounter, counter(key))),
    ],
    [
      'what shows its rows, and what follows that',
      async (tx) => {
        tx.atCommit(insertCounter, counter('k'), () => undefined);
        tx.atCommit(insertCounter, counter('l'));
      },
    ],
    [
      'what it asks although it was refused',
      async (tx) => {
        await tx.query(countCounters, []).catch(() => undefined);
        await tx.query(insertCounter, counter('k'));
      },
    ],
  ])('leaves nothing of %s', async (_what, work) => {
    await expect(distant.transaction(work)).rejects.toThrow(/transaction\.begix/);
    const left = await superuser.dataSource.query('SELECT tenant FROM contacts.counter');
    expect(left).toEqual([{ tenant: 'known' }]);
    refusing = false;
    await distant.transaction((tx) => tx.query(insertCounter, counter('later')));
  });
});

describe('a transaction that is over', () => {
  const insert = (tx: Transaction, key: string): Promise<unknown> => tx.query(insertCounter, ['t', key, 1]);
  const keys = statement<{ key: string }>('t.keys-in-order', 'SELECT key FROM counter ORDER BY key');
  let prepared: Awaited<ReturnType<typeof servers.serviceDatabase>>;
  let database: Database;
  beforeEach(async () => {
    prepared = await servers.serviceDatabase('contacts', [Counters1764000000000]);
    database = await prepared.database({ poolMax: 1 });
    // The first on a connection prepares.
    await database.transaction((tx) => insert(tx, 'former'));
  });

  it('takes nothing of what was asked, on a connection that is new either, when its work has failed by itself meanwhile', async () => {
    const fresh = await prepared.database({ poolMax: 1 });
    for (const one of [fresh, database]) {
      const failing = one.transaction((tx) =>
        Promise.all([insert(tx, 'first'), insert(tx, 'next'), Promise.reject(new Error('by itself'))]),
      );
      await expect(failing).rejects.toThrow('by itself');
      expect(await one.query(keys, [])).toEqual([{ key: 'former' }]);
    }
  });

  it.each<[string, (tx: Transaction) => Promise<unknown>, readonly string[]]>([
    ['failed', (tx) => insert(tx, 'first').then(() => Promise.reject(new Error('by itself'))), ['former']],
    ['was committed', (tx) => insert(tx, 'first'), ['first', 'former']],
    ['asked nothing', async () => undefined, ['former']],
  ])('refuses what is asked of it later, after it %s', async (_what, work, left) => {
    let ended: Transaction | undefined;
    await database.transaction((tx) => work((ended = tx))).catch(() => undefined);
    if (!ended) throw new Error('it did not begin');
    const late = ended;
    await expect(insert(late, 'late')).rejects.toThrow('the transaction is over');
    expect(() => late.atCommit(insertCounter, ['t', 'late', 1])).toThrow('the transaction is over');
    expect(await database.query(keys, [])).toEqual(left.map((key) => ({ key })));
  });
});

describe('what a transaction asks in the same turn', () => {
  it('is reported by what failed first, not by what was refused for it', async () => {
    const prepared = await servers.serviceDatabase('contacts', [Counters1764000000000]);
    const database = await prepared.database({ poolMax: 1 });
    const fail = statement('t.fail', 'SELECT 1 / (count(*) - count(*)) FROM counter');
    for (let round = 0; round < 20; round++) {
      const work = database.transaction((tx) =>
        Promise.all([tx.query(fail, []), tx.query(holdCounters, []), tx.query(holdCounters, [])]),
      );
      await expect(work).rejects.toMatchObject({ code: '22012' });
    }
  });

  it('leaves with BEGIN in one write when it writes nothing, and behind it otherwise', async () => {
    const prepared = await servers.serviceDatabase('contacts', [Counters1764000000000]);
    const writes: string[] = [];
    const ask = (chunk: Buffer): Buffer => (writes.push(chunk.toString('latin1')), chunk);
    const distant = await prepared.database({ url: (await proxyTo(servers, prepared.url, { ask })).url, poolMax: 1 });
    const insert = (tx: Transaction): Promise<unknown> => tx.query(insertCounter, ['t', 'k', 1]);
    const hold = (tx: Transaction): Promise<unknown> => tx.query(holdCounters, []);
    const names = ['transaction.begin', 't.count', 't.hold', 't.insert'];
    /** What each write of a transaction has, which counts first. */
    const written = async (...asked: readonly ((tx: Transaction) => Promise<unknown>)[]): Promise<string[][]> => {
      writes.length = 0;
      await distant.transaction((tx) => Promise.all([tx.query(countCounters, []), ...asked.map((ask) => ask(tx))]));
      return writes.map((write) => names.filter((name) => write.includes(name)));
    };
    // The first on a connection prepares, and begins by itself.
    await written(hold, insert);
    const [first, second] = await written(hold, insert);
    expect([first, second]).toEqual([['transaction.begin', 't.count', 't.hold'], ['t.insert']]);
    // It does not overtake one that was asked before it.
    const [alone, behind] = await written(insert, hold);
    expect([alone, behind]).toEqual([
      ['transaction.begin', 't.count'],
      ['t.hold', 't.insert'],
    ]);
  });
});

describe('what travels with COMMIT', () => {
  const insertOne = (tx: Transaction, key: string): void => tx.atCommit(insertAndReturn, ['t', key, 1]);
  const insertAndReturn = statement('t.insert-return', `${insertCounter.text} RETURNING key`);
  const sync = 'S\0\0\0\x04';
  const ready = 'Z\0\0\0\x05';

  it('leaves as one message, which is answered once, and takes BEGIN along when nothing else was asked', async () => {
    const prepared = await servers.serviceDatabase('contacts', [Counters1764000000000]);
    const superuser = await prepared.superuser();
    const [asked, answered]: [string[], string[]] = [[], []];
    const ask = (chunk: Buffer): Buffer => (asked.push(chunk.toString('latin1')), chunk);
    const answer = (chunk: Buffer): Buffer => (answered.push(chunk.toString('latin1')), chunk);
    const { url } = await proxyTo(servers, prepared.url, { ask, answer });
    const distant = await prepared.database({ url, poolMax: 1 });
    const insertTwo = async (tx: Transaction): Promise<void> => ['k', 'l'].forEach((key) => insertOne(tx, key));
    const insertBehindAsking = async (tx: Transaction): Promise<unknown[]> => {
      const rows = await tx.query(countCounters, []);
      insertOne(tx, 'm');
      insertOne(tx, 'n');
      return rows;
    };
    const numberOf = (part: string, chunks: readonly string[]): number => chunks.join('').split(part).length - 1;
    // The first on a connection prepares.
    await distant.transaction(insertTwo);
    await distant.transaction(insertBehindAsking);
    for (const [work, messages] of [
      [insertTwo, 1],
      [insertBehindAsking, 2],
    ] as const) {
      asked.length = answered.length = 0;
      await distant.transaction<unknown>(work);
      expect([numberOf(sync, asked), numberOf(ready, answered)]).toEqual([messages, messages]);
    }
    expect(await superuser.dataSource.query('SELECT count(*)::int AS n FROM contacts.counter')).toEqual([{ n: 8 }]);
  });

  it('shows the rows that were asked for once it stands, and not before', async () => {
    const prepared = await servers.serviceDatabase('contacts', [Counters1764000000000]);
    const writes: string[] = [];
    const ask = (chunk: Buffer): Buffer => (writes.push(chunk.toString('latin1')), chunk);
    const distant = await prepared.database({ url: (await proxyTo(servers, prepared.url, { ask })).url, poolMax: 1 });
    const shown: unknown[] = [];
    const work = (last: number | string) => async (tx: Transaction) => {
      await tx.query(countCounters, []);
      insertOne(tx, 'before');
      tx.atCommit(insertAndReturn, ['t', 'seen', 1], (rows) => shown.push(...rows));
      tx.atCommit(insertAndReturn, ['t', 'behind', last]);
    };
    // The first on a connection prepares.
    await distant.transaction(work(1));
    writes.length = shown.length = 0;
    await distant.transaction(work(1));
    expect(shown).toEqual([{ key: 'seen' }]);
    expect(writes.map((write) => write.split(sync).length - 1)).toEqual([1, 2]);
    await expect(distant.transaction(work('text'))).rejects.toMatchObject({ code: '22P02' });
    expect([shown.length, await distant.query(countCounters, [])]).toEqual([1, [{ n: 6 }]]);
  });

  it('is one span, which names its statements', async () => {
    const collector = collectSpans();
    servers.onEnd(() => collector.stop());
    const prepared = await servers.serviceDatabase('contacts', [Counters1764000000000]);
    const database = await prepared.database({ poolMax: 1 });
    const work = async (tx: Transaction): Promise<void> => insertOne(tx, 'k');
    await database.transaction(work);
    const root = trace.getTracer('test').startSpan('root');
    await context.with(trace.setSpan(context.active(), root), () => database.transaction(work));
    root.end();
    const summaries = collector.named('COMMIT').map(({ attributes }) => attributes['db.query.summary']);
    expect(summaries).toEqual(['transaction.begin t.insert-return COMMIT']);
  });

  it('is undone whole when one of it fails or cannot be sent, however it began', async () => {
    const prepared = await servers.serviceDatabase('contacts', [Counters1764000000000]);
    const database = await prepared.database({ poolMax: 1 });
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    for (const isAsked of [false, true])
      for (const [bad, refusal] of [
        ['text', { code: '22P02' }],
        [circular, { message: expect.stringContaining('circular') }],
      ] as const) {
        await database.transaction(async (tx) => insertOne(tx, 'known'));
        const failing = database.transaction(async (tx) => {
          if (isAsked) await tx.query(countCounters, []);
          insertOne(tx, 'before');
          tx.atCommit(insertAndReturn, ['t', 'bad', bad]);
          insertOne(tx, 'behind');
        });
        await expect(failing).rejects.toMatchObject(refusal);
      }
    const left = await database.query(statement<{ key: string }>('t.keys', 'SELECT DISTINCT key FROM counter'), []);
    expect(left).toEqual([{ key: 'known' }]);
  });
});

describe('a session of a server that was no primary', () => {
  it.each<[string, (database: Database) => Promise<unknown>]>([
    ['a statement', (database) => database.query(insertCounter, ['r', 'k', 1])],
    ['a transaction', (database) => database.transaction((tx) => tx.query(insertCounter, ['r', 'k', 1]))],
    [
      'what travels with COMMIT',
      (database) => database.transaction(async (tx) => tx.atCommit(insertCounter, ['r', 'k', 1])),
    ],
  ])('is closed by the first write that it refuses, of %s, and not kept for the next', async (_what, write) => {
    const prepared = await servers.serviceDatabase('contacts', [Counters1764000000000]);
    const database = await prepared.database({ poolMax: 1 });
    await database.query(statement('t.read-only', 'SET default_transaction_read_only = on'), []);
    await expect(write(database)).rejects.toMatchObject({ code: '25006' });
    await write(database);
    expect(await database.query(countCounters, [])).toEqual([{ n: 1 }]);
  });
});
