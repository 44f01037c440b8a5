import { beforeEach, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { pauseRestored } from '../src/pause-restored/pause-restored.js';
import { JobStore } from './job-store.js';

const servers = testServers();
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let store: JobStore;

beforeEach(async () => {
  store = await JobStore.openAnew(servers);
});

/** A job of the backup that was cancelled since: messaging has withdrawn its lane. */
const restored = async (): Promise<string> => {
  const { job } = await store.commit(store.batch(3));
  store.messaging.lane(job.id).isWithdrawn = true;
  return job.id;
};
const CANCELED = { status: 'CANCELED', counts: { queued: 0, skipped: 3 } };

describe('a job whose lane is withdrawn, of a database that was restored', () => {
  it('is cancelled again as soon as it is paused after the restore', async () => {
    const id = await restored();
    await pauseRestored(
      store.database,
      { writtenBefore: new Date(Date.now() + 1_000), number: 7, lastNumber: 9 },
      silent,
    );
    await store.orders.runDue(8);
    await store.orders.runDue(8);
    expect(await store.view(id)).toMatchObject(CANCELED);
    expect(store.messaging.lane(id).actions).toEqual(['PAUSE', 'WITHDRAW']);
    expect(store.messaging.released.get(id)?.size).toBe(3);
    expect(await store.rows('SELECT FROM templates.lane_order')).toEqual([]);
  });

  it('is cancelled again by the resume of one that was paused at the backup', async () => {
    const id = await restored();
    await store.change('UPDATE templates.job SET is_paused = true');
    expect(await store.act(id, 'resume')).toMatchObject(CANCELED);
  });

  it('is cancelled again by its first look, once', async () => {
    const id = await restored();
    await store.feed();
    await store.orders.runDue(8);
    await store.makeDue();
    await store.feed();
    expect(await store.view(id)).toMatchObject(CANCELED);
    expect(store.messaging.lane(id).items.size).toBe(0);
    const events = await store.rows(`SELECT FROM templates.outbox WHERE subject = 'templates.job.finished.v1'`);
    expect(events).toHaveLength(1);
  });
});
