import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { sweepPaces } from '../src/bulk-lane/channel-pace.repository.js';
import { attemptsOf, LaneStore, type Job } from './lane-store.js';
import { MessagingStore, settlementOf, taken, type Sender } from './messaging-store.js';
import type { Attempt } from '../src/dispatch/dispatch.entity.js';

const servers = testServers();
const deferred = { state: 'not-taken', code: '131056', message: 'later', retry: 'slow' } as const;

describe('a lane with something that cannot begin now', () => {
  let store: MessagingStore;
  let lanes: LaneStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    lanes = new LaneStore(store);
  });
  beforeEach(async () => {
    await lanes.forgetOthers();
    await store.forgetDispatches();
  });

  it('gives its slots to other recipients while one waits for an earlier message of its conversation', async () => {
    const { sender, earlier } = await deferredTo(3);
    const job = lanes.job(sender, 3_600);
    await lanes.submit(job);
    expect(await nextOf(job)).toEqual([]);
    expect(await nextOf(job)).toEqual([1]);
    expect(await nextOf(job)).toEqual([2]);
    expect(await nextOf(job)).toEqual([]);
    await store.settle(settlementOf(earlier, taken(earlier)));
    expect(await nextOf(job)).toEqual([0]);
  });

  it('is looked at again a little later, and not at once, while one waits for an earlier message', async () => {
    const { sender } = await deferredTo(1);
    const job = lanes.job(sender);
    await lanes.submit(job);
    await nextOf(job);
    expect(await nextOf(job)).toEqual([]);
    expect(await lookInMs(sender)).toBeGreaterThanOrEqual(240);
  });

  it('is looked at again a little later, and not at once, while somebody holds its rows', async () => {
    const sender = await store.sender(1);
    const job = lanes.job(sender);
    await lanes.submit(job);
    const [attempt] = attemptsOf(await lanes.claim(), job);
    if (!attempt) throw new Error('nothing was claimed');
    await store.settle(settlementOf(attempt, deferred));
    await store.letTimePass(attempt);
    const holder = store.superuser.dataSource.createQueryRunner();
    try {
      await holder.startTransaction();
      await holder.query('SELECT FROM messaging.message WHERE id = $1 FOR UPDATE', [attempt.messageId]);
      expect(await nextOf(job)).toEqual([]);
      expect(await lookInMs(sender)).toBeGreaterThanOrEqual(40);
    } finally {
      await holder.rollbackTransaction();
      await holder.release();
    }
    expect(await nextOf(job)).toEqual([0]);
  });

  it('does not hold up the sweep over other channels while somebody holds its pace', async () => {
    const [held, free] = [lanes.job(await store.sender(1)), lanes.job(await store.sender(1))];
    for (const job of [held, free]) await lanes.submit(job);
    await lanes.forgetOthers();
    const holder = store.superuser.dataSource.createQueryRunner();
    const swept = async (): Promise<string[]> =>
      (await sweepPaces(store.database)).map(({ channelId }) => channelId).filter((id) => ours.has(id));
    const ours = new Set([held, free].map(({ sender }) => sender.channelId));
    try {
      await holder.startTransaction();
      await holder.query('SELECT FROM messaging.channel_pace WHERE channel_id = $1 FOR UPDATE', [
        held.sender.channelId,
      ]);
      expect(await swept()).toEqual([free.sender.channelId]);
    } finally {
      await holder.rollbackTransaction();
      await holder.release();
    }
    expect(await swept()).toEqual([held.sender.channelId]);
  });

  /** A sender with so many contacts, and a message to the first of them that is to be sent again in an hour. */
  async function deferredTo(contacts: number): Promise<{ sender: Sender; earlier: Attempt }> {
    const sender = await store.sender(contacts);
    const earlier = await store.attempt(sender);
    await store.settle(settlementOf(earlier, deferred));
    return { sender, earlier };
  }

  /** Indexes of the recipients that the next claim begins, a second behind the last one. */
  async function nextOf(job: Job): Promise<number[]> {
    await lanes.letPass(1_000);
    await lanes.look();
    const begun = new Map(job.items.map(({ messageId, recipientIndex }) => [messageId, recipientIndex]));
    return attemptsOf(await lanes.claim(), job).map(({ messageId }) => begun.get(messageId) ?? -1);
  }

  /** Milliseconds from the last claim, or change of a pace, to the next look at the channel. */
  async function lookInMs({ channelId }: Sender): Promise<number> {
    const [row] = await lanes.run<{ ms: number }>(
      `SELECT (extract(epoch FROM look_at - (owned_until - interval '2 seconds')) * 1000)::float8 AS ms
       FROM messaging.channel_pace WHERE channel_id = $1`,
      [channelId],
    );
    return row?.ms ?? NaN;
  }
});
