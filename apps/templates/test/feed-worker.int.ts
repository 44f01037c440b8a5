import { beforeEach, describe, expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { eventually, testServers } from '@switchboard/testing';
import { changedCauses } from '../src/watch-causes/changed-causes.repository.js';
import { FeedJobsWorker } from '../src/feed-jobs/feed-jobs.worker.js';
import { FeedSignal } from '../src/job/feed-signal.js';
import { JobStore } from './job-store.js';

const servers = testServers();
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let store: JobStore;

beforeEach(async () => {
  store = await JobStore.open(servers);
});

describe('a running job', () => {
  it('is fed while another waits for its lane, and its completion is estimated as soon as it runs', async () => {
    const answered = Promise.withResolvers<void>();
    store.messaging.onSubmitted = () => answered.promise;
    const signal = new FeedSignal();
    const worker = new FeedJobsWorker(store.database, store.feedJob, signal, silent);
    worker.onApplicationBootstrap();
    try {
      const stuck = await fedIn(signal);
      expect(await store.view(stuck)).toMatchObject({ status: 'RUNNING', estimatedCompletionAt: expect.any(String) });
      await fedIn(signal);
    } finally {
      answered.resolve();
      await worker.onModuleDestroy();
    }
  });

  it('gives back the quota of recipients whose variables the template no longer takes', async () => {
    const { job } = await store.commit(store.batch(3));
    await store.change('UPDATE templates.template SET components = $1', [
      JSON.stringify([{ type: 'BODY', text: 'Hello {{1}}, {{2}}, {{3}}.' }]),
    ]);
    await store.feed();
    expect((await store.view(job.id)).counts).toMatchObject({ queued: 0, failed: 3 });
    expect([...(store.messaging.released.get(job.id) ?? [])]).toEqual([0, 1, 2]);
  });

  async function fedIn(signal: FeedSignal): Promise<string> {
    const { job } = await store.commit(store.batch(1));
    signal.wake();
    await eventually(async () => store.messaging.lane(job.id).items.size === 1);
    return job.id;
  }
});

describe('causes that hold jobs', () => {
  it('are followed while the job of another organization is locked, and what begins before what ends', async () => {
    const { job: locked } = await store.commit(store.batch(1));
    const { job: free } = await store.commit(store.batch(1));
    const other = newCuid();
    await moveJob(free.id, other);
    await store.subscribe('PAST_DUE', 1_000);
    await store.change(`UPDATE templates.organization SET subscription = 'PAST_DUE'`);
    const holder = store.superuser.dataSource.createQueryRunner();
    try {
      await holder.startTransaction();
      await holder.query('SELECT FROM templates.job WHERE id = $1 FOR UPDATE', [locked.id]);
      await store.watch.round();
      expect(await holdsOf(free.id)).toEqual(['SUBSCRIPTION']);
    } finally {
      await holder.rollbackTransaction();
      await holder.release();
    }
    expect(await holdsOf(locked.id)).toEqual([]);
  });

  it('that begin come before those that end', async () => {
    const { job } = await store.commit(store.batch(1));
    await store.change(
      `UPDATE templates.job SET holds = '{CHANNEL_DISCONNECTED}', held_at = now() - interval '1 hour'`,
    );
    await store.subscribe('PAST_DUE', 1_000);
    const causes = (await changedCauses(store.database, 10)).filter(({ jobId }) => jobId === job.id);
    expect(causes.map(({ reason, begins }) => [reason, begins])).toEqual([
      ['SUBSCRIPTION', true],
      ['CHANNEL_DISCONNECTED', false],
    ]);
  });

  /** Makes a job another organization's, with a template, a channel and a subscription of its own. */
  async function moveJob(id: string, organizationId: string): Promise<void> {
    for (const table of ['template', 'channel']) {
      await store.change(
        `INSERT INTO templates.${table} SELECT (jsonb_populate_record(t, jsonb_build_object('organization_id', $1::text))).*
         FROM templates.${table} t`,
        [organizationId],
      );
    }
    await store.change('UPDATE templates.job SET organization_id = $1 WHERE id = $2', [organizationId, id]);
    await store.change(
      `INSERT INTO templates.organization (organization_id, subscription, messages_per_month, last_event_id)
       VALUES ($1, 'PAST_DUE', 1000, 'c')`,
      [organizationId],
    );
  }

  async function holdsOf(jobId: string): Promise<string[]> {
    const [row] = await store.rows<{ holds: string[] }>('SELECT holds FROM templates.job WHERE id = $1', [jobId]);
    return row?.holds ?? [];
  }
});
