import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { finishLanes } from '../src/bulk-lane/lane.repository.js';
import { closeFinished } from '../src/close-lanes/close-lanes.js';
import { attemptsOf, LaneStore, type Job } from './lane-store.js';
import { MessagingStore } from './messaging-store.js';

const servers = testServers();

describe('recipients that templates would not hand over any more', () => {
  let store: MessagingStore;
  let lanes: LaneStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });
  beforeEach(async () => {
    lanes = await LaneStore.anew(store);
  });

  const skippedOf = async ({ sender }: Job): Promise<unknown[]> => {
    const events = await store.events(sender.organizationId);
    return events.filter(({ subject }) => subject.includes('bulk-item.skipped')).map(({ data }) => data);
  };

  it('go on where a batch brought them, and are skipped for good where none did, however often it is asked', async () => {
    const job = lanes.job(await store.sender(3));
    await lanes.submit(job, job.items.slice(0, 2));
    const [begun] = attemptsOf(await lanes.claim('a process', 1), job);
    expect(await lanes.skip(job)).toEqual({ skipped: [2], isWithdrawn: false });
    expect(await lanes.skip(job)).toEqual({ skipped: [], isWithdrawn: false });
    await lanes.submit(job);
    expect(await lanes.states(job)).toEqual({ BEGUN: 1, WAITING: 1, SKIPPED: 1 });
    await lanes.look();
    const [next, ...none] = attemptsOf(await lanes.claim(), job);
    expect([begun, next].map((attempt) => attempt?.messageId)).toEqual(
      job.items.slice(0, 2).map(({ messageId }) => messageId),
    );
    expect(none).toEqual([]);
    expect(await skippedOf(job)).toEqual([
      {
        jobId: job.jobId,
        recipientIndex: 2,
        messageId: job.items[2]?.messageId,
        reason: 'JOB_CANCELED',
        isUnfit: true,
      },
    ]);
  });

  it('are skipped before there is a lane, which takes the rest later', async () => {
    const job = lanes.job(await store.sender(2));
    const part = { ...job, items: job.items.slice(0, 1) };
    expect(await lanes.skip(part)).toEqual({ skipped: [0], isWithdrawn: false });
    await lanes.submit(job);
    expect(attemptsOf(await lanes.claim(), job)).toMatchObject([{ messageId: job.items[1]?.messageId }]);
  });

  it('are taken once or skipped once when a batch comes at the same time', async () => {
    const job = lanes.job(await store.sender(40));
    const [{ skipped }] = await Promise.all([lanes.skip(job), lanes.submit(job)]);
    const { WAITING: waiting = 0 } = await lanes.states(job);
    expect(waiting + skipped.length).toBe(40);
    expect(await skippedOf(job)).toHaveLength(skipped.length);
  });

  it('are left alone in a lane that was withdrawn', async () => {
    const job = lanes.job(await store.sender(2));
    await lanes.control(job, 'WITHDRAW');
    expect(await lanes.skip(job)).toEqual({ skipped: [], isWithdrawn: true });
    expect(await skippedOf(job)).toEqual([]);
  });

  it('open no lane that stays when their job has finished before, however often that is said', async () => {
    const job = lanes.job(await store.sender(1));
    const key = { organizationId: job.sender.organizationId, jobId: job.jobId };
    await store.database.transaction((tx) => finishLanes(tx, [key, key]));
    expect(await lanes.skip(job)).toEqual({ skipped: [0], isWithdrawn: false });
    const aged = "UPDATE messaging.bulk_lane SET finished_at = finished_at - interval '2 hours' WHERE job_id = $1";
    await lanes.run(aged, [job.jobId]);
    await closeFinished(store.database);
    const stored = 'SELECT channel_id, is_open FROM messaging.bulk_lane WHERE job_id = $1';
    expect(await lanes.run(stored, [job.jobId])).toEqual([{ channel_id: job.sender.channelId, is_open: false }]);
  });
});
