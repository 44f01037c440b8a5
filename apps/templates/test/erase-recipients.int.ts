import { beforeEach, describe, expect, it } from '@jest/globals';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import type { RpcClient } from '@switchboard/nats';
import { EraseSignal, type ErasureTarget } from '@switchboard/platform';
import { eventually, lockWaiters, testServers } from '@switchboard/testing';
import { changeJob } from '../src/job/change-job.js';
import { EraseRecipientsWorker } from '../src/erase-recipients/erase-recipients.worker.js';
import { eraseRecipients, findRecipients } from '../src/erase-recipients/erased-recipient.repository.js';
import { lockJobs } from '../src/job/job-flow.js';
import { findJob } from '../src/job/job.repository.js';
import { TouchedJobs } from '../src/job/touched-jobs.js';
import { PruneStagingWorker } from '../src/prune-staging/prune-staging.worker.js';
import { JobStore, patient, recipient } from './job-store.js';

const servers = testServers();
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let store: JobStore;

/** Makes one pass for a contact that was erased a moment after everything that there is. */
class Erasing extends EraseRecipientsWorker {
  constructor({ database, messaging }: JobStore) {
    super(database, {} as RpcClient, messaging.client, new TouchedJobs(), new EraseSignal(), silent);
  }

  /** @returns whether the pass was whole */
  pass(organizationId: string, phone: string): Promise<boolean> {
    const numbers = { phoneForms: [phone], upstreamUserIds: [], upstreamNames: [], formerNames: [] };
    const erasedAt = new Date(Date.now() + 1_000);
    const target: ErasureTarget = {
      ...numbers,
      organizationId,
      contactId: newCuid(),
      erasedAt,
      passes: 0,
      keepOn: () => Promise.resolve(),
    };
    return this.erase(target);
  }
}

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
    const erased = await patient(store).transaction(async (tx) => {
      await lockJobs(tx, [{ organizationId, jobId: job.id }]);
      const row = await findJob(tx, organizationId, job.id);
      if (!row) throw new Error('the job is not there');
      await changeJob(tx, organizationId, row, 'cancel');
      const done = eraseRecipients(patient(store), organizationId, [{ jobId: job.id, index: 1 }]);
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
    // Who has the number in a job that was accepted after the erasure is a new contact.
    const erased = { ...present, erasedAt: changedAt };
    const own = await findRecipients(store.database, erased, { jobId: '', index: -1 }, 100);
    expect(own.found.map(({ jobId }) => jobId)).toEqual([jobs[0]]);
  });

  it('gives back the quota of a recipient that is queued, and of no other', async () => {
    const list = [recipient(), recipient(), recipient()];
    const { job } = await store.commit(store.batch(list, { throttlePerHour: 60 }));
    await store.feed();
    await store.settle(job.id, [{ index: 0, status: 'SENT', reason: null }]);
    const erasing = new Erasing(store);
    for (const { to } of list.slice(0, 2)) expect(await erasing.pass(store.organizationId, to)).toBe(true);
    expect([...(store.messaging.released.get(job.id) ?? [])]).toEqual([1]);
    expect((await store.view(job.id)).counts).toMatchObject({ queued: 1, sent: 1, skipped: 1 });
  });

  it('overwrites recipients of a batch that is being staged at once, and skips them as soon as that is a job', async () => {
    const list = Array.from({ length: 6 }, () => recipient());
    const request = await store.stage(list, 2);
    const erasing = new Erasing(store);
    const erased = [0, 3];
    const pass = async (): Promise<boolean[]> => {
      const passes: boolean[] = [];
      for (const index of erased) passes.push(await erasing.pass(store.organizationId, list[index]?.to ?? ''));
      return passes;
    };
    expect(await pass()).toEqual([false, false]);
    expect(await store.rows("SELECT index FROM templates.recipient WHERE phone = '' ORDER BY index")).toEqual(
      erased.map((index) => ({ index })),
    );
    expect(await store.rows('SELECT FROM templates.job_count')).toEqual([]);
    const { job } = await store.commit(request);
    expect(store.messaging.reserved.get(job.id)).toBe(6);
    expect((await store.view(job.id)).counts).toMatchObject({ queued: 6, skipped: 0 });
    await store.feedAll(job.id);
    const others = [1, 2, 4, 5];
    expect([...store.messaging.lane(job.id).items.values()].map(({ recipientIndex }) => recipientIndex)).toEqual(
      others,
    );
    expect(await pass()).toEqual([true, true]);
    expect((await store.view(job.id)).counts).toMatchObject({ queued: 4, skipped: 2 });
    expect([...(store.messaging.released.get(job.id) ?? [])]).toEqual(erased);
    expect((await store.recipients(job.id))[3]).toMatchObject({ to: '', status: 'SKIPPED', reason: 'ERASED' });
    await store.settle(
      job.id,
      others.map((index) => ({ index, status: 'SENT' as const, reason: null })),
    );
    expect(await store.view(job.id)).toMatchObject({ status: 'COMPLETED', counts: { queued: 0, sent: 4, skipped: 2 } });
  });

  it('of a batch that was being staged needs no further pass: the feed of its job skips what was overwritten', async () => {
    // Of a template that any recipient fits: what is left of an erased one too.
    await store.change('UPDATE templates.template SET components = $1', [
      JSON.stringify([{ type: 'BODY', text: 'Hello.' }]),
    ]);
    const list = Array.from({ length: 4 }, () => recipient({ variables: null }));
    const request = await store.stage(list, 2);
    expect(await new Erasing(store).pass(store.organizationId, list[1]?.to ?? '')).toBe(false);
    const { job } = await store.commit(request);
    await store.feedAll(job.id);
    expect([...store.messaging.lane(job.id).items.values()].map(({ to }) => to)).toEqual(
      [0, 2, 3].map((index) => list[index]?.to),
    );
    expect((await store.view(job.id)).counts).toMatchObject({ queued: 3, skipped: 1 });
    expect([...(store.messaging.released.get(job.id) ?? [])]).toEqual([1]);
    const sent = [0, 2, 3].map((index) => ({ index, status: 'SENT' as const, reason: null }));
    await store.settle(job.id, sent);
    expect(await store.view(job.id)).toMatchObject({ status: 'COMPLETED', counts: { queued: 0, sent: 3, skipped: 1 } });
  });

  it('is not whole before a batch that was given up is removed', async () => {
    const list = [recipient(), recipient()];
    const { jobId } = await store.stage(list, 1);
    await store.staged.abandon(store.organizationId, jobId);
    const erasing = new Erasing(store);
    const pass = (): Promise<boolean> => erasing.pass(store.organizationId, list[0]?.to ?? '');
    expect([await pass(), await pass()]).toEqual([false, false]);
    const pruner = new PruneStagingWorker(store.database, silent);
    while (await pruner.round());
    expect(await pass()).toBe(true);
  });
});
