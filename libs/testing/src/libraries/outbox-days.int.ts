import { beforeAll, describe, expect, it } from '@jest/globals';
import { buryEvent, deadLetterCounts, keepPartitions, partitionDays } from '@switchboard/outbox';
import { ClocksDifferError, type Database } from '@switchboard/postgres';
import { itOnOneDay, testServers } from '../index.js';
import { delivered, Outbox1764000000000 } from './outbox-fixture.js';

const servers = testServers();

describe('a day of the outbox past retention', () => {
  let database: Database;
  let superuser: Database;

  beforeAll(async () => {
    const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
    [database, superuser] = [await prepared.database(), await prepared.superuser()];
  });

  it('stays while the clocks of the service and of the database differ by more than a day', async () => {
    const { dataSource } = superuser;
    await keepPartitions(database);
    await dataSource.query(
      `SET search_path = contacts; SELECT ensure_partition('outbox', timestamptz '2019-01-01Z', timestamptz '2019-01-02Z', '20190101')`,
    );
    const isThere = async (): Promise<boolean> =>
      (await dataSource.query(`SELECT FROM pg_class WHERE oid = to_regclass('contacts.outbox_20190101')`)).length === 1;
    for (const days of [-1.1, 1.1]) {
      const now = (): number => Date.now() + days * 86_400_000;
      expect(await keepPartitions(database, undefined, { now })).toEqual([expect.any(ClocksDifferError)]);
      expect(await isThere()).toBe(true);
    }
    expect(await keepPartitions(database)).toEqual([]);
    expect(await isThere()).toBe(false);
  });

  it('is left for the next round when looking for what is pending in it would stop writers for long', async () => {
    const { dataSource } = superuser;
    await keepPartitions(database);
    await dataSource.query(
      `SET search_path = contacts; SELECT ensure_partition('outbox', timestamptz '2020-01-01Z', timestamptz '2020-01-02Z', '20200101')`,
    );
    // The look of the drop takes what it takes behind millions of entries that an old snapshot keeps.
    await dataSource.query(`ALTER TABLE outbox_pending RENAME TO outbox_pending_rows;
      CREATE VIEW outbox_pending AS SELECT 0::bigint AS position, '' COLLATE "C" AS id
        WHERE current_setting('lock_timeout') = '250ms' AND pg_sleep(1) IS NULL;
      GRANT SELECT ON outbox_pending TO PUBLIC`);
    const hasDay = `SELECT to_regclass('contacts.outbox_20200101') IS NOT NULL AS "isThere"`;
    expect(await keepPartitions(database)).toEqual([]);
    expect(await dataSource.query(hasDay)).toEqual([{ isThere: true }]);
  });
});

itOnOneDay('shows for how many days partitions are made, and how many days stay past their time', async () => {
  const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
  const [database, { dataSource }] = [await prepared.database(), await prepared.superuser()];
  await keepPartitions(database);
  const whole = { ahead: new Map(Object.entries({ inbox: 7, outbox: 7 })), past: 0 };
  expect(await partitionDays(database)).toEqual(whole);
  await dataSource.query(
    `SET search_path = contacts; SELECT ensure_partition('outbox', timestamptz '2020-01-01Z', timestamptz '2020-01-02Z', '20200101')`,
  );
  expect(await partitionDays(database)).toEqual({ ...whole, past: 1 });
  const newest = `SELECT max(c.relname) AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'contacts.outbox'::regclass`;
  const [{ name }] = (await dataSource.query(newest)) as [{ name: string }];
  await dataSource.query(`DROP TABLE contacts.${name}`);
  expect((await partitionDays(database)).ahead.get('outbox')).toBe(6);
  // A table of months is good to the end of the last of them.
  const today = new Date();
  const lastMonth = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1)).toISOString();
  await dataSource.query(`SET search_path = contacts; CREATE TABLE note (id text) PARTITION BY LIST (id);
    CREATE TABLE note_${lastMonth.slice(0, 7).replace('-', '')} PARTITION OF note DEFAULT`);
  expect((await partitionDays(database)).ahead.get('note')).toBe(-today.getUTCDate());
});

itOnOneDay(
  'makes the days ahead and drops those past retention, as the service role without any right of DDL',
  async () => {
    const prepared = await servers.serviceDatabase('contacts', [Outbox1764000000000]);
    const [database, { dataSource }] = [await prepared.database(), await prepared.superuser()];
    const partitions = async (): Promise<string[]> =>
      (
        await dataSource.query(
          `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
         WHERE p.relname IN ('outbox', 'inbox') AND p.relkind = 'p' ORDER BY 1`,
        )
      ).map(({ name }: { name: string }) => name);
    const before = await partitions();
    // 8 days of outbox, 10 of inbox, today, 7 days ahead.
    expect(before).toHaveLength(16 + 18);
    const day = (daysAgo: number): string =>
      new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
    const idOf = async (daysAgo: number): Promise<string> =>
      (
        await dataSource.query(
          `SELECT contacts.cuid_floor(now() - interval '${daysAgo} days') || 'aaaaaaaaaaaaaaaa' AS id`,
        )
      )[0].id;
    const old = (name: string, daysAgo: number): Promise<unknown> =>
      dataSource.query(
        `SET search_path = contacts; SELECT ensure_partition('${name}', today - make_interval(days => ${daysAgo}),
         today - make_interval(days => ${daysAgo - 1}), to_char(today - make_interval(days => ${daysAgo}), 'YYYYMMDD'))
       FROM (SELECT date_trunc('day', now())) AS t(today)`,
      );
    for (const daysAgo of [9, 11, 12, 13, 14]) await old('outbox', daysAgo);
    for (const daysAgo of [11, 12]) await old('inbox', daysAgo);
    // An event of 9 days ago that never went out keeps its day; dead letters, of the relay and of a consumer, keep none.
    const insert = `INSERT INTO contacts.outbox (id, aggregate_id, subject, payload) VALUES ($1, 'stuck', 's', '{}')`;
    await dataSource.query(insert, [await idOf(9)]);
    await buryEvent(database, 'relay', delivered(1, 1, await idOf(13)), 'too large');
    await buryEvent(database, 'somebody', delivered(1, 8, await idOf(30)), 'poison');
    await dataSource.query(`DROP TABLE contacts.${before.at(-1)}`);
    // A day that somebody reads is left for the next round, and costs the others nothing.
    const reader = dataSource.createQueryRunner();
    await reader.startTransaction();
    await reader.query(`SELECT FROM contacts.outbox_${day(11)}`);
    expect(await keepPartitions(database)).toEqual([]);
    const kept = [`outbox_${day(9)}`, `outbox_${day(11)}`];
    expect(await partitions()).toEqual([...before, ...kept].sort());
    expect(await deadLetterCounts(database)).toEqual(new Map(Object.entries({ relay: 1, somebody: 1 })));

    await reader.commitTransaction();
    await reader.release();
    await dataSource.query('DELETE FROM contacts.outbox_pending');
    await dataSource.query('DELETE FROM contacts.dead_letter');
    expect(await keepPartitions(database)).toEqual([]);
    expect(await partitions()).toEqual(before);
  },
);
