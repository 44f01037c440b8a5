import { describe, expect } from '@jest/globals';
import { migrate, revertMigrations } from '@switchboard/postgres';
import { itOnOneDay as it, testServers } from '@switchboard/testing';
import { MessageRetention1767000001000 } from './1767000001000-message-retention.js';
import { MonthsKeptQuickly1767300000000 } from './1767300000000-months-kept-quickly.js';
import { UpstreamMessageMonth1767000000000 } from './1767000000000-upstream-message-month.js';
import { messagingMigrations } from './all.js';

const servers = testServers();
const later: readonly unknown[] = [
  UpstreamMessageMonth1767000000000,
  MessageRetention1767000001000,
  MonthsKeptQuickly1767300000000,
];

describe('the migrations that let months be removed', () => {
  it('keep every upstream id, in the first of their months, and give them back', async () => {
    const before = messagingMigrations.filter((one) => !later.includes(one));
    const prepared = await servers.serviceDatabase('messaging', before);
    const { dataSource } = await prepared.superuser();
    // As a replica of the release before stores them; it still runs while the schema is migrated.
    const store = (prefix: string): Promise<unknown> =>
      dataSource.query(
        `INSERT INTO messaging.upstream_message (channel_id, upstream_message_id, organization_id, message_id)
         SELECT 'cchannel', $1 || n, 'corganization', 'cmessage' || n FROM generate_series(1, 500) AS n ON CONFLICT DO NOTHING`,
        [prefix],
      );
    const ids = async (): Promise<{ ids: number; rows: number }[]> =>
      dataSource.query(
        'SELECT count(DISTINCT upstream_message_id)::int AS ids, count(*)::int AS rows FROM messaging.upstream_message',
      );
    await store('wamid.a');
    const options = { url: prepared.migratorUrl, schema: 'messaging', migrations: messagingMigrations };
    await migrate({ ...options, serviceRole: prepared.role });
    await Promise.all([store('wamid.a'), store('wamid.b'), store('wamid.b')]);
    expect(await ids()).toEqual([{ ids: 1_000, rows: 1_000 }]);
    const parts: { name: string }[] = await dataSource.query(
      `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'messaging.upstream_message'::regclass ORDER BY 1`,
    );
    const month = new Date().toISOString().slice(0, 7).replace('-', '');
    expect([parts[0]?.name, parts.length]).toEqual([`upstream_message_${month}`, 4]);
    const [rights] = await dataSource.query(
      `SELECT has_table_privilege($1, 'messaging.upstream_message', 'INSERT') AS parent,
         has_table_privilege($1, 'messaging.upstream_message_${month}', 'INSERT') AS partition,
         has_table_privilege($1, 'messaging.message_floor', 'UPDATE') AS floor`,
      [prepared.role],
    );
    expect(rights).toEqual({ parent: true, partition: false, floor: false });

    // A later status of a message of an earlier month stores its id under that month, too.
    await dataSource.query(
      `INSERT INTO messaging.upstream_message (channel_id, upstream_message_id, organization_id, message_id, month)
       SELECT channel_id, upstream_message_id, organization_id, message_id, 'c0' FROM messaging.upstream_message LIMIT 1`,
    );
    await revertMigrations({ ...options, migrations: later as typeof messagingMigrations });
    expect(await ids()).toEqual([{ ids: 1_000, rows: 1_000 }]);
    await store('wamid.b');
    expect(await ids()).toEqual([{ ids: 1_000, rows: 1_000 }]);
    expect(await migrate({ ...options, serviceRole: prepared.role })).toHaveLength(3);
  });
});
