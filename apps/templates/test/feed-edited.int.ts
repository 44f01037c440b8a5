import { beforeEach, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { claimRecipients, takeFeeds, type TakenFeed } from '../src/feed-jobs/job-feed.repository.js';
import { JobStore } from './job-store.js';

const servers = testServers();
let store: JobStore;

beforeEach(async () => {
  store = await JobStore.openAnew(servers);
});

const taken = async (): Promise<TakenFeed> => {
  const [feed] = await takeFeeds(store.database, 8);
  if (!feed) throw new Error('nothing was due');
  return feed;
};
const edit = (text: string): Promise<void> =>
  store.change('UPDATE templates.template SET components = $1', [JSON.stringify([{ type: 'BODY', text }])]);
/** The recipients of these tests have two variables. */
const FITTING = 'Hello {{1}} and {{2}}.';
const GROWN = 'Hello {{1}}, {{2}} and {{3}}.';
/** Another replica takes the job over. */
const takeOver = async (): Promise<void> => {
  await store.makeDue();
  await store.feed();
};
const editAndFeed = async (): Promise<void> => {
  await edit(GROWN);
  await takeOver();
};
const shown = async (jobId: string) => (await store.recipients(jobId)).map(({ status, reason }) => [status, reason]);

describe('recipients that a dead replica had taken up before their template was edited', () => {
  it('go on when messaging has them', async () => {
    const { job } = await store.commit(store.batch(2));
    store.messaging.onSubmitted = async () => {
      throw new Error('the process was killed');
    };
    const feed = await taken();
    await expect(store.feedJob.feed(feed)).rejects.toThrow('killed');
    store.messaging.onSubmitted = async () => undefined;
    await editAndFeed();
    expect(await shown(job.id)).toEqual(Array(2).fill(['QUEUED', null]));
    const { items, skipped } = store.messaging.lane(job.id);
    expect([items.size, skipped.size]).toEqual([2, 0]);
    expect(store.messaging.released.has(job.id)).toBe(false);
    expect(await store.rows('SELECT fed_to FROM templates.job_feed')).toEqual([{ fed_to: 2 }]);
  });

  it('are skipped there when it has not, before what was on its way arrives', async () => {
    const { job } = await store.commit(store.batch(2));
    const slice = await claimRecipients(store.database, await taken(), 0, 2, 80);
    await editAndFeed();
    const { skipped } = store.messaging.lane(job.id);
    expect([...skipped]).toEqual(slice?.claimed.map(({ messageId }) => messageId));
    // What became of them comes by the event.
    expect(await shown(job.id)).toEqual(Array(2).fill(['QUEUED', null]));
  });

  it('are left to the order that withdraws the lane', async () => {
    const { job } = await store.commit(store.batch(2));
    await claimRecipients(store.database, await taken(), 0, 2, 80);
    store.messaging.lane(job.id).isWithdrawn = true;
    await editAndFeed();
    expect(store.messaging.lane(job.id).skipped.size).toBe(0);
    expect(await store.rows('SELECT fed_to FROM templates.job_feed')).toEqual([{ fed_to: 0 }]);
  });
});

it('recipients that no replica had taken up before their template was edited are skipped by messaging as well', async () => {
  const { job } = await store.commit(store.batch(2));
  await editAndFeed();
  const { items, skipped } = store.messaging.lane(job.id);
  expect([items.size, skipped.size]).toEqual([0, 2]);
  expect(await store.rows('SELECT fed_to FROM templates.job_feed')).toEqual([{ fed_to: 2 }]);
});

it('recipients that are skipped take their part of a look, and a later one goes on', async () => {
  const { job } = await store.commit(store.batch(30));
  await editAndFeed();
  const { skipped } = store.messaging.lane(job.id);
  expect(skipped.size).toBe(20);
  await takeOver();
  expect(skipped.size).toBe(30);
});

it('recipients that another replica hands over with the template edited back, while one stands still, go on', async () => {
  const { job } = await store.commit(store.batch(2));
  await edit(GROWN);
  store.messaging.onSkipping = async () => {
    await edit(FITTING);
    await takeOver();
  };
  await store.feed();
  expect(await shown(job.id)).toEqual(Array(2).fill(['QUEUED', null]));
  const { items, skipped } = store.messaging.lane(job.id);
  expect([items.size, skipped.size]).toEqual([2, 0]);
});
