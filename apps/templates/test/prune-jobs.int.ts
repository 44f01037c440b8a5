import { beforeEach, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { completeJob } from '../src/complete-jobs/complete-jobs.js';
import { pruneJobsSql } from '../src/prune-jobs/prune-jobs.worker.js';
import { PruneStagingWorker } from '../src/prune-staging/prune-staging.worker.js';
import { JobStore } from './job-store.js';

const servers = testServers();
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let store: JobStore;

beforeEach(async () => {
  store = await JobStore.open(servers);
});

describe('a job that has ended', () => {
  it('is kept for its days, then goes with its recipients, counts and key, and its key is free', async () => {
    const request = store.batch(3);
    const [{ job }, { job: running }] = [await store.commit(request), await store.commit(store.batch(1))];
    const settled = [0, 1, 2].map((index) => ({ index, status: 'DELIVERED' as const, reason: null }));
    await store.settle(job.id, settled);
    await completeJob(store.database, { organizationId: store.organizationId, jobId: job.id });
    const prune = async (): Promise<number | undefined> =>
      (await store.database.query(pruneJobsSql, [100, 30]))[0]?.count;
    const endedDaysAgo = (days: number): Promise<void> =>
      store.change('UPDATE templates.job SET finished_at = now() - make_interval(days => $2) WHERE id = $1', [
        job.id,
        days,
      ]);
    await endedDaysAgo(29);
    expect(await prune()).toBe(0);
    expect(await store.recipients(job.id)).toHaveLength(3);
    await endedDaysAgo(31);
    expect(await prune()).toBe(1);
    await expect(store.view(job.id)).rejects.toThrow('there is no job');
    while (await new PruneStagingWorker(store.database, silent).round());
    for (const table of ['recipient', 'job_feed', 'job_count', 'job_key', 'staged_job']) {
      expect([table, await store.rows(`SELECT FROM templates.${table} WHERE job_id = $1`, [job.id])]).toEqual([
        table,
        [],
      ]);
    }
    expect((await store.view(running.id)).total).toBe(1);
    const again = store.batch(1, { key: request.key });
    expect((await store.commit(again)).job.id).toBe(again.jobId);
  });
});
