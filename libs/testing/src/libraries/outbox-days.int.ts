import { beforeAll, describe, expect, it } from '@jest/globals';
import { keepPartitions } from '@switchboard/outbox';
import type { Database } from '@switchboard/postgres';
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
