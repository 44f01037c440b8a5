import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { statement, type Database } from '@switchboard/postgres';
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
    ['what travels with COMMIT', async (tx) => tx.atCommit(insertCounter, counter('k'))],
    [
      'anything of what travels with COMMIT',
      async (tx) => ['k', 'l', 'm'].forEach((key) => tx.atCommit(insertCounter, counter(key))),
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
