import { beforeEach, describe, expect, it } from '@jest/globals';
import { lockWaiters, testServers } from '@switchboard/testing';
import { eventually } from '@switchboard/testing/eventually';
import { completeJob } from '../src/complete-jobs/complete-jobs.js';
import { pruneJobsSql } from '../src/prune-jobs/prune-jobs.worker.js';
import { PruneStagingWorker } from '../src/prune-staging/prune-staging.worker.js';
import { JobStore, patient } from './job-store.js';

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

/** Recipients of one statement of a `PruneStagingWorker`. */
const SLICE = 5_000;

describe('a batch that was given up', () => {
  it('goes whole, though another replica that removes it ends within its work', async () => {
    const { organizationId } = store;
    await store.change('INSERT INTO templates.staged_job VALUES ($1, $2, false, true)', [organizationId, 'cgivenup']);
    await store.change(
      `INSERT INTO templates.recipient (organization_id, job_id, index, phone)
       SELECT $1, $2, index, '+14155550123' FROM generate_series(0, $3::int) AS index`,
      [organizationId, 'cgivenup', SLICE],
    );
    const other = await store.superuser.connect();
    await other.query('BEGIN');
    await other.query("DELETE FROM templates.recipient WHERE job_id = 'cgivenup' AND index < $1", [SLICE]);
    const pruner = new PruneStagingWorker(patient(store), silent);
    const round = pruner.round();
    await eventually(async () => (await lockWaiters(store.superuser)) > 0);
    await other.query('COMMIT');
    other.release(true);
    await round;
    while (await pruner.round());
    for (const table of ['recipient', 'staged_job']) {
      const left = await store.rows(`SELECT FROM templates.${table} WHERE job_id = 'cgivenup'`);
      expect([table, left]).toEqual([table, []]);
    }
  });
});
