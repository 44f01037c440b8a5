import { beforeAll, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { JobStore } from '../../test/job-store.js';
import { pauseRestored } from './pause-restored.js';

const servers = testServers();
const lines: unknown[] = [];
const log = {
  info: () => undefined,
  warn: (event: string, fields?: object) => void lines.push({ event, ...fields }),
  error: () => undefined,
};

describe('jobs of a database that was restored', () => {
  let store: JobStore;
  beforeAll(async () => {
    store = await JobStore.open(servers);
  });

  it('are not handed over before it is compared, and are paused until somebody resumes them', async () => {
    const { job } = await store.commit(store.batch(3));
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const { job: later } = await store.commit(store.batch(3, { scheduledAt }));
    await store.change(
      `INSERT INTO templates.incarnation VALUES (1, 7, 'old', NULL, 0, now() - interval '1 hour', now() - interval '1 day')`,
    );
    await store.feed();
    expect(store.messaging.lane(job.id).items.size).toBe(0);
    const restore = { writtenBefore: new Date(Date.now() + 1_000), number: 7, lastNumber: 9 };
    await pauseRestored(store.database, restore, log);
    await pauseRestored(store.database, restore, log);
    await store.change(
      'UPDATE templates.incarnation SET compared_at = now(), server_started_at = pg_postmaster_start_time()',
    );
    expect((await store.view(job.id)).status).toBe('PAUSED');
    expect((await store.view(later.id)).status).toBe('SCHEDULED');
    await store.feed();
    expect(store.messaging.lane(job.id).items.size).toBe(0);
    expect(lines).toEqual([
      { event: 'jobs.paused-after-restore', jobs: 1 },
      { event: 'jobs.paused-after-restore', jobs: 0 },
    ]);
    await store.act(job.id, 'resume');
    await store.feed();
    expect(store.messaging.lane(job.id).items.size).toBe(3);
  });

  it('that were accepted since go on', async () => {
    const before = new Date(Date.now() - 60_000);
    const { job } = await store.commit(store.batch(1));
    await pauseRestored(store.database, { writtenBefore: before, number: 7, lastNumber: 9 }, log);
    expect((await store.view(job.id)).status).not.toBe('PAUSED');
  });
});
