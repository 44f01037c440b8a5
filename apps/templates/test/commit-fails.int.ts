import { beforeAll, describe, expect, it } from '@jest/globals';
import { OutcomeUnknown, type Database } from '@switchboard/postgres';
import { testServers } from '@switchboard/testing';
import { JobStore, recipient } from './job-store.js';

const servers = testServers();
let store: JobStore;

beforeAll(async () => {
  store = await JobStore.open(servers);
});

describe('a batch whose transaction', () => {
  it('fails gives back its quota and its key', async () => {
    const failing = store.replica(
      through(async () => {
        throw new Error('the disk is full');
      }),
    );
    const request = store.batch(3);
    await expect(store.commit(request, failing)).rejects.toThrow('the disk is full');
    expect(store.messaging.reserved.has(request.jobId)).toBe(false);
    expect(await store.isKeyFree(request.key)).toBe(true);
  });

  it('has an unknown end keeps its quota and its key: the same batch goes on with them, and no other has the key', async () => {
    const lost = store.replica(
      through(async () => {
        throw new OutcomeUnknown(new Error('the connection was lost'));
      }),
    );
    const request = store.batch(3);
    await expect(store.commit(request, lost)).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(store.messaging.reserved.get(request.jobId)).toBe(3);
    expect(await store.isKeyFree(request.key)).toBe(false);
    expect((await store.commit(request)).job.id).toBe(request.jobId);
  });

  it('comes when another batch has its key stores nothing, and gives back its quota', async () => {
    const request = store.batch(3);
    const late = store.replica(
      through(async (work, options) => {
        await store.change(`UPDATE templates.job_key SET job_id = 'cother' WHERE job_id = $1`, [request.jobId]);
        return store.database.transaction(work, options);
      }),
    );
    await expect(store.commit(request, late)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await store.jobs.find(store.organizationId, request.jobId)).toBeNull();
    expect(await store.rows('SELECT FROM templates.recipient WHERE job_id = $1', [request.jobId])).toEqual([]);
    expect(store.messaging.reserved.has(request.jobId)).toBe(false);
  });

  it('follows that of a replica with the same batch leaves the job as it is, its quota too', async () => {
    const request = store.batch(3);
    const second = store.replica(
      through(async (work, options) => {
        await store.commit(request);
        return store.database.transaction(work, options);
      }),
    );
    expect((await store.commit(request, second)).job.id).toBe(request.jobId);
    expect(store.messaging.reserved.get(request.jobId)).toBe(3);
  });

  it('finds its staged recipients given up makes no job of them', async () => {
    const request = await store.stage([recipient(), recipient()]);
    const late = store.replica(
      through(async (work, options) => {
        await store.staged.abandon(store.organizationId, request.jobId);
        return store.database.transaction(work, options);
      }),
    );
    await expect(store.commit(request, late)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await store.jobs.find(store.organizationId, request.jobId)).toBeNull();
    expect(store.messaging.reserved.has(request.jobId)).toBe(false);
  });

  function through(transaction: Database['transaction']): Database {
    return Object.assign(Object.create(store.database) as Database, { transaction });
  }
});
