import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { callbackStatus } from '@switchboard/contracts/gateway/events';
import type { DeliveredEvent } from '@switchboard/nats';
import { testServers } from '@switchboard/testing';
import type { LaneAttempt } from '../src/begin-bulk/claim-lanes.js';
import { deliveredCallback, handleCallbacks } from './callback-batch.js';
import { attemptsOf, LaneStore, type Job } from './lane-store.js';
import { MessagingStore, settlementOf, taken } from './messaging-store.js';

const servers = testServers();

describe('a message that the provider took and then failed for its account', () => {
  let store: MessagingStore;
  let lanes: LaneStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });
  beforeEach(async () => {
    lanes = await LaneStore.anew(store);
  });

  /** A job of two, of which the provider took the first. */
  const begun = async (): Promise<{ job: Job; first: LaneAttempt }> => {
    const job = lanes.job(await store.sender(2));
    await lanes.submit(job);
    const [first] = attemptsOf(await lanes.claim('a process', 1), job);
    if (!first) throw new Error('nothing was claimed');
    await store.settle(settlementOf(first, taken(first)));
    return { job, first };
  };
  const failed = ({ sender }: Job, { messageId }: LaneAttempt, code: number, at = new Date()): DeliveredEvent => {
    const item = { id: `wamid.${messageId}`, status: 'failed', timestamp: '1', errors: [{ code, title: 'no' }] };
    const status = { ...item, biz_opaque_callback_data: messageId };
    return deliveredCallback(callbackStatus, { phoneNumberId: sender.phoneNumberId, item: status }, at);
  };
  const holdsOf = async ({ sender }: Job): Promise<unknown[]> => {
    const events = await store.events(sender.organizationId);
    return events.flatMap(({ subject, data }) =>
      subject.includes('bulk-lane.held') ? [(data as { reason: string }).reason] : [],
    );
  };
  const next = async (job: Job): Promise<number> => {
    await lanes.look();
    return attemptsOf(await lanes.claim(), job).length;
  };

  it.each([
    [131042, 'CHANNEL_BLOCKED'],
    [131031, 'CHANNEL_BLOCKED'],
    [131048, 'SPAM_LIMIT'],
  ])('(%d) holds the bulk sends of its channel until they are resumed: %s', async (code, reason) => {
    const { job, first } = await begun();
    const status = failed(job, first, code);
    await handleCallbacks(store, job.sender, [status, failed(job, first, code)]);
    expect(await holdsOf(job)).toEqual([reason]);
    expect(await next(job)).toBe(0);
    await lanes.control(job, 'RESUME');
    // The same status once more is no other one.
    await handleCallbacks(store, job.sender, [status]);
    expect(await next(job)).toBe(1);
  });

  it.each([
    [132001, 'NOT_FOUND'],
    [132015, 'PAUSED'],
    [132016, 'DISABLED'],
  ])(
    '(%d) holds its own job, once, as the answer to the send would, and says that its template is %s',
    async (code, is) => {
      const { job, first } = await begun();
      const other = lanes.job(job.sender);
      await lanes.submit(other);
      await handleCallbacks(store, job.sender, [failed(job, first, code)]);
      expect(await holdsOf(job)).toEqual(['TEMPLATE_NOT_APPROVED']);
      await lanes.look();
      const claim = await lanes.claim();
      expect([job, other].map((one) => attemptsOf(claim, one).length)).toEqual([0, 2]);
      const events = await store.events(job.sender.organizationId);
      const refused = { name: 'order_shipped', language: 'en_US', reason: is };
      expect(events.filter(({ subject }) => subject === 'messaging.template.refused.v1')).toMatchObject([
        { data: refused },
      ]);
      await lanes.control(job, 'RELEASE', 'TEMPLATE_NOT_APPROVED');
      await handleCallbacks(store, job.sender, [failed(job, first, code)]);
      expect(await next(job)).toBe(1);
      expect(await store.message(first)).toMatchObject({ status: 'FAILED', errorCode: `${code}` });
    },
  );

  it('holds nothing when it is reported again, and holds when it had only been assumed to have failed', async () => {
    const { job, first } = await begun();
    await handleCallbacks(store, job.sender, [failed(job, first, 131042)]);
    await lanes.control(job, 'RESUME');
    await handleCallbacks(store, job.sender, [failed(job, first, 131042), failed(job, first, 131042)]);
    expect(await holdsOf(job)).toEqual(['CHANNEL_BLOCKED']);
    expect(await next(job)).toBe(1);
    const overdue = await begun();
    await lanes.run(
      "UPDATE messaging.message SET status = 'FAILED', error_code = 'UPSTREAM_OUTCOME_UNKNOWN', failed_at = now() WHERE id = $1",
      [overdue.first.messageId],
    );
    await handleCallbacks(store, overdue.job.sender, [failed(overdue.job, overdue.first, 131042)]);
    expect(await holdsOf(overdue.job)).toEqual(['CHANNEL_BLOCKED']);
  });

  it('holds nothing for what concerns its recipient alone, nor long after it was reported', async () => {
    const { job, first } = await begun();
    const old = failed(job, first, 131042, new Date(Date.now() - 3_600_000));
    await handleCallbacks(store, job.sender, [failed(job, first, 131026), old]);
    expect(await holdsOf(job)).toEqual([]);
    expect(await next(job)).toBe(1);
  });
});
