import { beforeEach, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { completeJob } from '../src/complete-jobs/complete-jobs.js';
import { eraseRecipients } from '../src/erase-recipients/erased-recipient.repository.js';
import { nextFeed, takeFeeds } from '../src/feed-jobs/job-feed.repository.js';
import { JobStore, recipient } from './job-store.js';

const servers = testServers();
let store: JobStore;

beforeEach(async () => {
  store = await JobStore.openAnew(servers);
});

/** One recipient of the job is handed over and sent; its feed is due again for the others. */
async function sendFirst(jobId: string): Promise<void> {
  await store.feed();
  await store.settle(jobId, [{ index: 0, status: 'SENT', reason: null }]);
  expect((await nextFeed(store.database)).inMs).toBeGreaterThan(10_000);
}

describe('a completed job', () => {
  it('is fed no more, although its last recipients are duplicates that no look has passed by', async () => {
    const twice = recipient();
    const { job } = await store.commit(store.batch([twice, twice], { throttlePerHour: 60 }));
    await sendFirst(job.id);
    expect(await completeJob(store.database, { organizationId: store.organizationId, jobId: job.id })).toBe(true);
    expect((await nextFeed(store.database)).inMs).toBeNull();
  });

  it('is fed no more, although its last recipients were erased before any look', async () => {
    const { job } = await store.commit(store.batch(3, { throttlePerHour: 60 }));
    await sendFirst(job.id);
    const rest = [1, 2].map((index) => ({ jobId: job.id, index }));
    await eraseRecipients(store.database, store.organizationId, rest);
    expect(await completeJob(store.database, { organizationId: store.organizationId, jobId: job.id })).toBe(true);
    expect((await nextFeed(store.database)).inMs).toBeNull();
  });

  it('leaves the feeds for good when its own was left due, and is not taken with others', async () => {
    const [{ job: over }, { job: active }] = [await store.commit(store.batch(1)), await store.commit(store.batch(1))];
    await store.change(`UPDATE templates.job SET state = 'COMPLETED' WHERE id = $1`, [over.id]);
    expect((await takeFeeds(store.database, 8)).map(({ jobId }) => jobId)).toEqual([active.id]);
    expect(await store.rows('SELECT job_id AS "jobId" FROM templates.job_feed WHERE due_at IS NULL')).toEqual([
      { jobId: over.id },
    ]);
  });
});
