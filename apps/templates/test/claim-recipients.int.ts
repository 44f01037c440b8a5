import { beforeEach, describe, expect, it } from '@jest/globals';
import { statement, type Database, type Queryable } from '@switchboard/postgres';
import { eventually, lockWaiters, testServers } from '@switchboard/testing';
import {
  claimRecipients,
  failFeed,
  leaveFeed,
  recordFed,
  takeFeeds,
  type TakenFeed,
} from '../src/feed-jobs/job-feed.repository.js';
import { changeJob } from '../src/job/change-job.js';
import { holdJobs, lockJobs } from '../src/job/job-flow.js';
import { findJob } from '../src/job/job.repository.js';
import { JobStore, patient, recipient } from './job-store.js';

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

  it('waits for a cancellation that has begun, and takes nothing then', async () => {
    const { job } = await store.commit(store.batch(3));
    const [feed] = await takeFeeds(store.database, 8);
    if (!feed) throw new Error('nothing was due');
    const { organizationId } = store;
    const { claim } = await patient(store).transaction(async (tx) => {
      await lockJobs(tx, [{ organizationId, jobId: job.id }]);
      const row = await findJob(tx, organizationId, job.id);
      if (!row) throw new Error('there is no job');
      await changeJob(tx, organizationId, row, 'cancel');
      const claimed = claimRecipients(patient(store), feed, 0, 3, 80);
      let hasEnded = false;
      claimed.finally(() => (hasEnded = true)).catch(() => undefined);
      await eventually(async () => hasEnded || (await lockWaiters(store.superuser)) > 0);
      return { claim: claimed };
    });
    expect(await claim).toBeNull();
    expect((await store.recipients(job.id)).map(({ messageId }) => messageId)).toEqual([null, null, null]);
  });

  it('is for the replica that has the job now alone, and so is what is recorded of it', async () => {
    const { job } = await store.commit(store.batch(3));
    const [former] = await takeFeeds(store.database, 8);
    await store.makeDue();
    const [present] = await takeFeeds(store.database, 8);
    if (!former || !present) throw new Error('nothing was due');
    expect(await claimRecipients(store.database, former, 0, 3, 80)).toBeNull();
    expect((await claimRecipients(store.database, present, 0, 2, 80))?.claimed).toHaveLength(2);
    await recordFed(store.database, former, 3);
    expect(await store.rows('SELECT fed_to, claimed_to FROM templates.job_feed WHERE job_id = $1', [job.id])).toEqual([
      { fed_to: 0, claimed_to: 2 },
    ]);
  });

  it('of a job that is held meanwhile takes nothing', async () => {
    const { job } = await store.commit(store.batch(3));
    const [feed] = await takeFeeds(store.database, 8);
    if (!feed) throw new Error('nothing was due');
    const hold = { organizationId: store.organizationId, jobId: job.id, reason: 'QUOTA' };
    await store.database.transaction((tx) => holdJobs(tx, [hold]));
    expect(await claimRecipients(store.database, feed, 0, 3, 80)).toBeNull();
  });

  it('of a job that is paused meanwhile takes nothing, and leaves no feed that is due, whether it failed or not', async () => {
    const { job } = await store.commit(store.batch(3));
    const isDue = async (): Promise<unknown> =>
      (await store.rows('SELECT due_at IS NOT NULL AS due FROM templates.job_feed WHERE job_id = $1', [job.id]))[0];
    const marks = { nextMs: 0, lanePerSecond: 80, begunPerSecond: null, markedAt: new Date(), markedBegun: 0 };
    for (const leave of [
      (feed: TakenFeed) => leaveFeed(store.database, feed, marks),
      (feed: TakenFeed) => failFeed(store.database, feed, 0),
    ]) {
      const [feed] = await takeFeeds(store.database, 8);
      if (!feed) throw new Error('nothing was due');
      await store.act(job.id, 'pause');
      expect(await claimRecipients(store.database, feed, 0, 3, 80)).toBeNull();
      await leave(feed);
      expect(await isDue()).toEqual({ due: false });
      await store.act(job.id, 'resume');
      expect(await isDue()).toEqual({ due: true });
    }
  });
});

async function recipientsFetched(through: Queryable): Promise<number> {
  const [row] = await through.query(recipientsFetchedSql, []);
  return row?.fetched ?? 0;
}
