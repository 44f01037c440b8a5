import { describe, expect, it } from '@jest/globals';
import { migrate, statement } from '@switchboard/postgres';
import { eventually, testServers } from '../index.js';

const servers = testServers();

/** Steps that asked for the lock last: the one that has it has gone on. */
const askedSql = statement<{ count: number }>(
  't.asked',
  `SELECT count(*)::int AS count FROM pg_stat_activity
   WHERE application_name = 'contacts-migrations' AND datname = current_database() AND query LIKE '%advisory_lock%'`,
);

class Counters1764000000000 {
  readonly name = 'Counters1764000000000';

  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query('CREATE TABLE contacts.counter (total integer)');
  }

  async down(): Promise<void> {}
}

describe('migrations of several steps at once', () => {
  it('wait for another step, longer than for the lock of a table', async () => {
    const own = await servers.serviceDatabase('contacts', []);
    const superuser = await own.superuser();
    const holder = await superuser.connect();
    await holder.query(`SELECT pg_advisory_lock(hashtextextended('contacts.migration', 0))`);
    const migrations = [Counters1764000000000];
    const step = migrate({ url: own.migratorUrl, schema: 'contacts', migrations, serviceRole: own.role });
    try {
      await Promise.race([step, new Promise((resolve) => setTimeout(resolve, 4_000))]);
    } finally {
      // Its session ends, and its lock with it.
      holder.release(true);
    }
    expect(await step).toEqual(['Counters1764000000000']);
  });

  it('let another one make an index concurrently, which waits for every statement that is older', async () => {
    const own = await servers.serviceDatabase('contacts', []);
    const superuser = await own.superuser();
    let second: Promise<string[]> | null = null;
    class Index1764100000000 {
      readonly name = 'Index1764100000000';
      readonly transaction = false;

      async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
        second = run();
        await eventually(async () => (await superuser.query(askedSql, []))[0]?.count === 1);
        await runner.query('CREATE INDEX CONCURRENTLY counter_total ON contacts.counter (total)');
      }

      async down(): Promise<void> {}
    }
    const migrations = [Counters1764000000000, Index1764100000000];
    const run = (): Promise<string[]> =>
      migrate({ url: own.migratorUrl, schema: 'contacts', migrations, serviceRole: own.role });
    expect(await run()).toEqual(['Counters1764000000000', 'Index1764100000000']);
    expect(await second).toEqual([]);
  });
});
