import { beforeEach, describe, expect, it } from '@jest/globals';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import { eventually, lockWaiters, testServers } from '@switchboard/testing';
import { changeJob } from '../src/control-job/change-job.js';
import { eraseRecipients, findRecipients } from '../src/erase-recipients/erased-recipient.repository.js';
import { lockJobs } from '../src/job/job-flow.js';
import { findJob } from '../src/job/job.repository.js';
import { JobStore, recipient } from './job-store.js';

const servers = testServers();
let store: JobStore;

beforeEach(async () => {
  store = await JobStore.openAnew(servers);
});

describe('an erasure', () => {
  it('counts a recipient once that was skipped by the cancellation and is erased later', async () => {
    const { job } = await store.commit(store.batch(3, { scheduledAt: new Date(Date.now() + 3_600_000).toISOString() }));
    const canceled = await store.act(job.id, 'cancel');
    expect(canceled.counts).toMatchObject({ queued: 0, skipped: 3 });
    await eraseRecipients(store.database, store.organizationId, [{ jobId: job.id, index: 1 }]);
    expect((await store.view(job.id)).counts).toEqual(canceled.counts);
    expect((await store.recipients(job.id))[1]).toMatchObject({ status: 'SKIPPED', reason: 'JOB_CANCELED' });
  });

  it('counts a recipient once that is skipped by a cancellation at the same moment', async () => {
    const { job } = await store.commit(store.batch(3, { scheduledAt: new Date(Date.now() + 3_600_000).toISOString() }));
    const { organizationId } = store;
    const erased = await store.database.transaction(async (tx) => {
      await lockJobs(tx, [{ organizationId, jobId: job.id }]);
      const row = await findJob(tx, organizationId, job.id);
      if (!row) throw new Error('the job is not there');
      await changeJob(tx, organizationId, row, 'cancel');
      const done = eraseRecipients(store.database, organizationId, [{ jobId: job.id, index: 1 }]);
      await eventually(async () => (await lockWaiters(store.superuser)) > 0);
      return { done };
    });
    await erased.done;
    expect((await store.view(job.id)).counts).toMatchObject({ queued: 0, skipped: 3 });
  });

  it('finds a former number in jobs that were accepted while it was the contact’s, in any form, and in no later one', async () => {
    const phone = { e164: '+525512345678', subscriber: '+5215512345678' };
    const jobAt = async (time: Date): Promise<string> => {
      const whole = [recipient(), recipient({ to: phone.e164, phone })];
      return (await store.commit(store.batch(whole, { jobId: cuidFloor(time) + newCuid().slice(9) }))).job.id;
    };
    const [before, changedAt, after] = [1_000, 2_000, 3_000].map((ms) => new Date(Date.now() - 10_000 + ms));
    if (!before || !changedAt || !after) throw new Error('three moments');
    const jobs = [await jobAt(before), await jobAt(after)];
    const former = [{ phoneForms: ['+5215512345678'], upstreamUserIds: [], until: changedAt.toISOString() }];
    const target = { organizationId: store.organizationId, erasedAt: new Date(), phoneForms: ['+12015550199'], former };
    const { found, rows } = await findRecipients(store.database, target, { jobId: '', index: -1 }, 100);
    expect(rows).toBe(4);
    expect(found).toEqual([{ jobId: jobs[0], index: 1, isQueued: true }]);
    const present = { ...target, phoneForms: ['+5215512345678'], former: [] };
    const all = await findRecipients(store.database, present, { jobId: '', index: -1 }, 100);
    expect(all.found.map(({ jobId }) => jobId)).toEqual(jobs);
  });
});
