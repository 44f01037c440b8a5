import { beforeEach, describe, expect, it } from '@jest/globals';
import { statement, type Database, type Queryable } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { claimRecipients, takeFeeds } from '../src/feed-jobs/job-feed.repository.js';
import { JobStore, recipient } from './job-store.js';

const servers = testServers();
/**
 * Rows that this session has fetched by an index, as far as it has not reported them. Source: PostgreSQL manual, "The
 * Cumulative Statistics System".
 */
const recipientsFetchedSql = statement<{ fetched: number }>(
  't.recipients-fetched',
  `SELECT idx_tup_fetch::int AS fetched FROM pg_stat_xact_user_tables
   WHERE schemaname = current_schema() AND relname = 'recipient'`,
);
let store: JobStore;

beforeEach(async () => {
  store = await JobStore.open(servers);
});

describe('a claim of recipients', () => {
  it('reads no more of the job than its slice, also of the first job in a new database', async () => {
    await store.commit(await store.stage(Array.from({ length: 2_000 }, () => recipient())));
    const [feed] = await takeFeeds(store.database, 8);
    if (!feed) throw new Error('nothing was due');
    let fetched = NaN;
    const counting: Pick<Database, 'transaction'> = {
      transaction: (work, options) =>
        store.database.transaction(async (tx) => {
          const before = await recipientsFetched(tx);
          const claimed = await work(tx);
          fetched = (await recipientsFetched(tx)) - before;
          return claimed;
        }, options),
    };
    expect((await claimRecipients(counting, feed, 100, 120, 80))?.claimed).toHaveLength(20);
    // Twenty to lock, twenty to update.
    expect(fetched).toBe(40);
  });
});

async function recipientsFetched(through: Queryable): Promise<number> {
  const [row] = await through.query(recipientsFetchedSql, []);
  return row?.fetched ?? 0;
}
