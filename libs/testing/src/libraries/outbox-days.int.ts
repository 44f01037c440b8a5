import { beforeAll, describe, expect, it } from '@jest/globals';
import { keepPartitions, partitionDays } from '@switchboard/outbox';
import { ClocksDifferError, type Database } from '@switchboard/postgres';
import { testServers } from '../index.js';
import { Outbox1764000000000 } from './outbox-fixture.js';

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
      expect(await keepPartitions(database, undefined, now)).toEqual([expect.any(ClocksDifferError)]);
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

it('shows for how many days partitions are made, and how many days stay past their time', async () => {
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
