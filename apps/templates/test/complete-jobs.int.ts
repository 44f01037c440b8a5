import { beforeEach, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { completeButActive, completeJob } from '../src/complete-jobs/complete-jobs.js';
import { eraseRecipients } from '../src/erase-recipients/erased-recipient.repository.js';
import { nextFeed, takeFeeds } from '../src/feed-jobs/job-feed.repository.js';
import { holdJobs } from '../src/job/job-flow.js';
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

  it('stays as it is, with one event, whoever looks at it again; one that was cancelled is not completed', async () => {
    const [{ job: done }, { job: canceled }] = [await store.commit(store.batch(1)), await store.commit(store.batch(1))];
    await store.act(canceled.id, 'cancel');
    await store.settle(done.id, [{ index: 0, status: 'SENT', reason: null }]);
    const complete = (jobId: string): Promise<boolean> =>
      completeJob(store.database, { organizationId: store.organizationId, jobId });
    expect([await complete(done.id), await complete(done.id), await complete(canceled.id)]).toEqual([
      true,
      false,
      false,
    ]);
    expect((await store.view(canceled.id)).status).toBe('CANCELED');
    const events = await store.rows<{ id: string }>(
      `SELECT aggregate_id AS id FROM templates.outbox WHERE subject = 'templates.job.finished.v1' ORDER BY position`,
    );
    expect(events.map(({ id }) => id)).toEqual([canceled.id, done.id]);
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

/** Nothing hands its last recipients over any more, and no caller can resume what shows COMPLETED. */
describe('a job that stands still when its last recipient is settled', () => {
  it.each([
    ['paused', (jobId: string) => store.act(jobId, 'pause')],
    ['held by hand', (jobId: string) => hold(jobId, 'CHANNEL_BLOCKED')],
  ])('is completed by the look at all, %s before its last duplicates were passed by', async (_what, stop) => {
    const twice = recipient();
    const { job } = await store.commit(store.batch([twice, twice], { throttlePerHour: 60 }));
    await store.feed();
    await stop(job.id);
    await store.settle(job.id, [{ index: 0, status: 'FAILED', reason: '368' }]);
    const key = { organizationId: store.organizationId, jobId: job.id };
    expect(await completeButActive(store.database, 10)).toEqual([key]);
    expect(await completeJob(store.database, key)).toBe(true);
    expect(await completeButActive(store.database, 10)).toEqual([]);
  });

  it('is left alone while a recipient is queued', async () => {
    const { job } = await store.commit(store.batch(2, { throttlePerHour: 60 }));
    await store.feed();
    await store.act(job.id, 'pause');
    await store.settle(job.id, [{ index: 0, status: 'SENT', reason: null }]);
    expect(await completeButActive(store.database, 10)).toEqual([]);
  });
});

async function hold(jobId: string, reason: string): Promise<void> {
  await store.database.transaction((tx) => holdJobs(tx, [{ organizationId: store.organizationId, jobId, reason }]));
}
