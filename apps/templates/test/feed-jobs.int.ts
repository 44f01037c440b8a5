import { beforeEach, describe, expect, it } from '@jest/globals';
import type { JobCounts } from '@switchboard/contracts/templates/job-http';
import { eventually, testServers } from '@switchboard/testing';
import { completeJob } from '../src/complete-jobs/complete-jobs.js';
import { takeFeeds } from '../src/feed-jobs/job-feed.repository.js';
import { holdJobs, releaseJobs } from '../src/job/job-flow.js';
import { ReleaseSignal } from '../src/job/release-signal.js';
import { ReleaseQuotaWorker } from '../src/release-quota/release-quota.worker.js';
import { JobStore, recipient } from './job-store.js';

const servers = testServers();
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const sumOf = (counts: JobCounts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);
/** Messages a second at which one look hands over 240 recipients, in two requests. */
const FAST = 960;
let store: JobStore;

beforeEach(async () => {
  store = await JobStore.openAnew(servers);
});

describe('a running job', () => {
  it('is handed over in the order of its input, in steps of a quarter of a second, three seconds of its rate ahead', async () => {
    const list = Array.from({ length: 600 }, () => recipient());
    list[5] = list[2] ?? recipient();
    const { job } = await store.commit(await store.stage(list));
    const looks: number[] = [];
    for (let look = 0; look < 14; look++) {
      await store.makeDue();
      await store.feed();
      looks.push(store.messaging.lane(job.id).waiting.size);
    }
    // The sixth is a duplicate, which takes no place.
    expect(looks).toEqual([20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220, 240, 240, 240]);
    expect(await store.view(job.id)).toMatchObject({ status: 'RUNNING', startedAt: expect.any(String) });
    await store.feedAll(job.id);
    const items = [...store.messaging.lane(job.id).items.values()];
    expect(items.map((item) => item.recipientIndex)).toEqual(list.map((_, index) => index).filter((at) => at !== 5));
    expect(items[0]).toMatchObject({ to: list[0]?.to, text: 'Hello Ada, today.', metadata: {} });
    const ids = items.map(({ messageId }) => messageId);
    expect(ids).toEqual([...new Set(ids)].sort());
  });

  it('is not fed before its time', async () => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const { job } = await store.commit(store.batch(3, { scheduledAt }));
    expect(job.status).toBe('SCHEDULED');
    await store.feed();
    expect(store.messaging.lane(job.id).items.size).toBe(0);
    await store.act(job.id, 'pause');
    await store.act(job.id, 'resume');
    expect((await store.view(job.id)).status).toBe('SCHEDULED');
    await store.feed();
    expect(store.messaging.lane(job.id).items.size).toBe(0);
  });

  it('has one recipient in its lane when its throttle is slow', async () => {
    const { job } = await store.commit(store.batch(5, { throttlePerHour: 60 }));
    await store.feed();
    await store.makeDue();
    await store.feed();
    expect(store.messaging.lane(job.id).items.size).toBe(1);
  });

  it('keeps the ids of its messages when the replica dies between hand-over and record', async () => {
    const { job } = await store.commit(await store.stage(Array.from({ length: 600 }, () => recipient())));
    store.messaging.perSecond = FAST;
    store.messaging.onSubmitted = async () => {
      throw new Error('the process was killed');
    };
    const [feed] = await takeFeeds(store.database, 8);
    if (!feed) throw new Error('nothing was due');
    await expect(store.feedJob.feed(feed)).rejects.toThrow('killed');
    store.messaging.onSubmitted = async () => undefined;
    const handedOver = [...store.messaging.lane(job.id).items.keys()];
    expect(handedOver).toHaveLength(200);
    // Its lease ends, and another replica takes over.
    await store.makeDue();
    await store.feedAll(job.id);
    const ids = [...store.messaging.lane(job.id).items.keys()];
    expect(ids.slice(0, 200)).toEqual(handedOver);
    expect(ids).toHaveLength(600);
  });

  it('has each recipient handed over once by replicas that race', async () => {
    const { job } = await store.commit(await store.stage(Array.from({ length: 900 }, () => recipient())));
    while (store.messaging.lane(job.id).items.size < 900) {
      await Promise.all([store.feed(), store.feed(), store.feed()]);
      store.messaging.begin(job.id, 1_000);
      await store.makeDue();
    }
    const indexes = [...store.messaging.lane(job.id).items.values()].map((item) => item.recipientIndex);
    expect(indexes).toEqual(Array.from({ length: 900 }, (_, index) => index));
  });

  it('takes turns with the jobs of other organizations', async () => {
    const crowd = await Promise.all(Array.from({ length: 20 }, () => store.commit(store.batch(1))));
    await store.change(`UPDATE templates.job_feed SET due_at = now() - interval '1 minute'`);
    const other = newOrganizationOf(store);
    await store.change(`UPDATE templates.job_feed SET organization_id = $1 WHERE job_id = $2`, [
      other,
      crowd[19]?.job.id,
    ]);
    await store.change(`UPDATE templates.job SET organization_id = $1 WHERE id = $2`, [other, crowd[19]?.job.id]);
    await store.change(`UPDATE templates.job_feed SET due_at = now() WHERE organization_id = $1`, [other]);
    const taken = await takeFeeds(store.database, 2);
    expect(taken.map(({ organizationId }) => organizationId).sort()).toEqual([store.organizationId, other].sort());
  });
});

describe('outcomes', () => {
  it('sum to the recipients in every read, whatever comes twice, late or at once', async () => {
    const { job } = await store.commit(await store.stage(Array.from({ length: 600 }, () => recipient())));
    const all = Array.from({ length: 600 }, (_, index) => index);
    let isOver = false;
    let reads = 0;
    const reading = (async () => {
      while (!isOver) {
        const { counts, total } = await store.view(job.id);
        expect(sumOf(counts)).toBe(total);
        reads++;
      }
    })();
    const settle = async (status: 'SENT' | 'DELIVERED' | 'READ' | 'UNCONFIRMED', share: number): Promise<void> => {
      for (let from = 0; from < 600; from += 50) {
        // However busy the machine is, they are read in mid-course.
        const readBefore = reads;
        if (from % 150 === 100) await eventually(() => reads > readBefore);
        const slice = all.slice(from, from + 50).filter((index) => index % share === 0);
        await store.settle(
          job.id,
          slice.map((index) => ({ index, status, reason: null })),
        );
      }
    };
    await Promise.all([
      settle('READ', 4),
      settle('SENT', 1),
      settle('SENT', 1),
      settle('DELIVERED', 2),
      settle('UNCONFIRMED', 3),
    ]);
    isOver = true;
    await reading;
    expect(reads).toBeGreaterThan(3);
    const { counts, status } = await store.view(job.id);
    expect(counts).toEqual({ queued: 0, unconfirmed: 0, sent: 300, delivered: 150, read: 150, failed: 0, skipped: 0 });
    expect(status).toBe('COMPLETED');
  });

  it('complete the job once, and correct its counts afterwards', async () => {
    const { job } = await store.commit(store.batch(2));
    const key = { organizationId: store.organizationId, jobId: job.id };
    await store.settle(job.id, [{ index: 0, status: 'FAILED', reason: '131026' }]);
    expect(await completeJob(store.database, key)).toBe(false);
    await store.settle(job.id, [{ index: 1, status: 'UNCONFIRMED', reason: null }]);
    const done = await Promise.all([completeJob(store.database, key), completeJob(store.database, key)]);
    expect(done.filter(Boolean)).toHaveLength(1);
    const { completedAt } = await store.view(job.id);
    await store.settle(
      job.id,
      [0, 1].map((index) => ({ index, status: 'DELIVERED' as const, reason: null })),
    );
    expect(await store.view(job.id)).toMatchObject({
      status: 'COMPLETED',
      completedAt,
      counts: { delivered: 2, failed: 0 },
    });
    expect((await store.recipients(job.id)).map(({ reason }) => reason)).toEqual([null, null]);
    const events = await store.rows(`SELECT FROM templates.outbox WHERE subject = 'templates.job.finished.v1'`);
    expect(events).toHaveLength(1);
  });
});

describe('a job in mid-course', () => {
  it('is cancelled at once: what lies in the lane is withdrawn, what began goes on', async () => {
    const list = Array.from({ length: 600 }, () => recipient());
    list[599] = list[0] ?? recipient();
    const { job } = await store.commit(await store.stage(list));
    store.messaging.perSecond = FAST;
    await store.feed();
    const begun = store.messaging.begin(job.id, 10);
    const view = await store.act(job.id, 'cancel');
    expect(view).toMatchObject({ status: 'CANCELED', counts: { queued: 10, skipped: 590 } });
    expect(await store.act(job.id, 'cancel')).toMatchObject({ status: 'CANCELED' });
    await expect(store.act(job.id, 'resume')).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
    await store.settle(
      job.id,
      begun.map(({ recipientIndex }) => ({ index: recipientIndex, status: 'SENT' as const, reason: null })),
    );
    const shown = await store.recipients(job.id);
    expect(shown.filter(({ status }) => status === 'SENT')).toHaveLength(10);
    expect(shown.filter(({ reason }) => reason === 'JOB_CANCELED')).toHaveLength(589);
    expect(shown[599]).toMatchObject({ status: 'SKIPPED', reason: 'DUPLICATE' });
    // Given back with the answer; the worker does what is more than one slice.
    expect(store.messaging.released.get(job.id)?.size).toBe(359);
    const release = new ReleaseQuotaWorker(store.database, store.messaging.client, new ReleaseSignal(), silent);
    while (await release.round());
    expect(store.messaging.released.get(job.id)?.size).toBe(359);
  });

  it('withdraws its lane later when messaging is away, and skips what a dead replica had claimed', async () => {
    const { job } = await store.commit(await store.stage(Array.from({ length: 600 }, () => recipient())));
    const [feed] = await takeFeeds(store.database, 8);
    if (!feed) throw new Error('nothing was due');
    store.messaging.perSecond = FAST;
    store.messaging.onSubmitted = async () => {
      store.messaging.isAway = true;
    };
    await expect(store.feedJob.feed(feed)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    store.messaging.begin(job.id, 5);
    expect(await store.act(job.id, 'cancel')).toMatchObject({ counts: { queued: 240, skipped: 360 } });
    store.messaging.isAway = false;
    await store.change('UPDATE templates.lane_order SET due_at = now()');
    await store.orders.runDue(8);
    expect((await store.view(job.id)).counts).toMatchObject({ skipped: 595 });
    // Of what was claimed too: messaging gives back the quota of none that has begun.
    expect(store.messaging.released.get(job.id)?.size).toBe(400);
    expect(await store.rows('SELECT FROM templates.lane_order')).toEqual([]);
  });

  it('is paused and resumed, once and again, and a hold shows behind a pause', async () => {
    const { job } = await store.commit(store.batch(3));
    const hold = { organizationId: store.organizationId, jobId: job.id, reason: 'SPAM_LIMIT' };
    await store.database.transaction(async (tx) => holdJobs(tx, [hold]));
    expect(await store.view(job.id)).toMatchObject({ status: 'HELD', heldReason: 'SPAM_LIMIT' });
    expect(await store.act(job.id, 'pause')).toMatchObject({ status: 'PAUSED', heldReason: null });
    expect(await store.act(job.id, 'pause')).toMatchObject({ status: 'PAUSED' });
    await store.feed();
    expect(store.messaging.lane(job.id).items.size).toBe(0);
    expect(await store.act(job.id, 'resume')).toMatchObject({ status: 'QUEUED', heldReason: null });
    expect(store.messaging.lane(job.id).actions).toEqual(['PAUSE', 'RESUME']);
    await store.feed();
    expect(store.messaging.lane(job.id).items.size).toBe(3);
  });

  it('goes on when its cause ends, and not while another lasts', async () => {
    const { job } = await store.commit(store.batch(3));
    const hold = (reason: string) => [{ organizationId: store.organizationId, jobId: job.id, reason }];
    const change = (how: typeof holdJobs, reason: string) =>
      store.database.transaction(async (tx) => how(tx, hold(reason)));
    await change(holdJobs, 'CHANNEL_DISCONNECTED');
    await change(holdJobs, 'QUOTA');
    await change(releaseJobs, 'CHANNEL_DISCONNECTED');
    await store.feed();
    expect(store.messaging.lane(job.id).items.size).toBe(0);
    await change(releaseJobs, 'QUOTA');
    await store.feed();
    expect(store.messaging.lane(job.id).items.size).toBe(3);
  });
});

describe('a job holds itself and goes on by itself', () => {
  it('with its template, its channel and its subscription, each by its own cause', async () => {
    const { job } = await store.commit(store.batch(3));
    const look = () => store.watch.round();
    const shown = async () => ({ ...(await store.view(job.id)), counts: undefined }) as const;
    await store.change(`UPDATE templates.template SET status = 'PAUSED', updated_at = now()`);
    await look();
    expect(await shown()).toMatchObject({ status: 'HELD', heldReason: 'TEMPLATE_NOT_APPROVED' });
    await store.subscribe('PAST_DUE', 1_000);
    await look();
    await store.change(`UPDATE templates.template SET status = 'APPROVED', updated_at = now()`);
    await look();
    expect(await shown()).toMatchObject({ status: 'HELD', heldReason: 'SUBSCRIPTION' });
    await store.feed();
    expect(store.messaging.lane(job.id).items.size).toBe(0);
    await store.subscribe('ACTIVE', 1_000);
    await look();
    expect(await shown()).toMatchObject({ status: 'QUEUED', heldReason: null });
    await store.feed();
    expect(store.messaging.lane(job.id).items.size).toBe(3);
    await store.change(`UPDATE templates.channel SET status = 'DISCONNECTED'`);
    await look();
    expect(await shown()).toMatchObject({ status: 'HELD', heldReason: 'CHANNEL_DISCONNECTED' });
    expect(store.messaging.lane(job.id).actions).toEqual(['HOLD', 'HOLD', 'RELEASE', 'RELEASE', 'HOLD']);
  });

  it('when the number of its plan falls below what is reserved', async () => {
    const { job } = await store.commit(store.batch(3));
    await store.subscribe('ACTIVE', 2);
    await store.watch.round();
    expect(await store.view(job.id)).toMatchObject({ status: 'HELD', heldReason: 'QUOTA' });
    await store.subscribe('ACTIVE', 3);
    await store.watch.round();
    expect(await store.view(job.id)).toMatchObject({ status: 'QUEUED', heldReason: null });
  });
});

function newOrganizationOf({ organizationId }: JobStore): string {
  return `${organizationId.slice(0, -1)}${organizationId.endsWith('z') ? 'y' : 'z'}`;
}
