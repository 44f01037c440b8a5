import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLog } from '@switchboard/platform';
import { eventually, testServers } from '@switchboard/testing';
import { LaneSignal } from '../src/bulk-lane/lane-signal.js';
import { releaseConnected } from '../src/begin-bulk/release-connected.js';
import { endWithdrawn } from '../src/bulk-lane/end-withdrawn.js';
import { SettleDispatch } from '../src/dispatch/settle-dispatch.batch.js';
import { RetrySignal } from '../src/dispatch/retry-signal.js';
import type { UpstreamOutcome } from '../src/upstream/upstream.js';
import type { LaneAttempt } from '../src/begin-bulk/claim-lanes.js';
import { lockMessages } from '../src/message/lock-messages.js';
import { attemptsOf, LaneStore, type Job } from './lane-store.js';
import { MessagingStore, settlementOf, taken } from './messaging-store.js';
import { silentRelay } from './silent-relay.js';

const servers = testServers();
const log = createLog('messaging', { write: () => undefined });
const NOT_NOW: UpstreamOutcome = { state: 'not-taken', code: '130429', message: 'no', retry: 'normal' };
const STOPPED = 'SELECT FROM messaging.bulk_lane WHERE job_id = $1 AND (is_paused OR is_withdrawn)';
const CANCELED = { status: 'FAILED', errorCode: 'JOB_CANCELED', sentAt: null };

describe('a lane', () => {
  let store: MessagingStore;
  let lanes: LaneStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
  });
  beforeEach(async () => {
    lanes = await LaneStore.anew(store);
  });

  const claimed = async (job: Job) => {
    await lanes.look();
    return attemptsOf(await lanes.claim(), job);
  };
  const heldAndReleased = async ({ sender }: Job): Promise<unknown[]> => {
    const events = await store.events(sender.organizationId);
    return events.flatMap(({ subject, data }) => {
      const change = /bulk-lane\.(held|released)/.exec(subject)?.[1];
      return change ? [[change, (data as { reason: string }).reason]] : [];
    });
  };

  it('is held until the last of its causes has ended, in whatever order they end', async () => {
    const job = lanes.job(await store.sender(2));
    await lanes.submit(job);
    for (const reason of ['TEMPLATE_NOT_APPROVED', 'SUBSCRIPTION', 'TEMPLATE_NOT_APPROVED'] as const) {
      await lanes.control(job, 'HOLD', reason);
    }
    await lanes.control(job, 'RELEASE', 'TEMPLATE_NOT_APPROVED');
    expect(await claimed(job)).toEqual([]);
    await lanes.control(job, 'HOLD', 'QUOTA');
    await lanes.control(job, 'RELEASE', 'QUOTA');
    expect(await claimed(job)).toEqual([]);
    await lanes.control(job, 'RELEASE', 'SUBSCRIPTION');
    expect(await claimed(job)).toHaveLength(2);
    expect(await heldAndReleased(job)).toEqual([
      ['held', 'TEMPLATE_NOT_APPROVED'],
      ['held', 'SUBSCRIPTION'],
      ['released', 'TEMPLATE_NOT_APPROVED'],
      ['held', 'QUOTA'],
      ['released', 'QUOTA'],
      ['released', 'SUBSCRIPTION'],
    ]);
  });

  it('goes on by hand but for causes that last, and is held anew where a former release ended a hold', async () => {
    const job = lanes.job(await store.sender(2));
    await lanes.submit(job);
    for (const reason of ['SPAM_LIMIT', 'QUOTA'] as const) await lanes.control(job, 'HOLD', reason);
    await lanes.control(job, 'RESUME', null, ['QUOTA']);
    expect(await claimed(job)).toEqual([]);
    await lanes.control(job, 'HOLD', 'SPAM_LIMIT');
    // As a replica that knows one reason releases it.
    await lanes.run('UPDATE messaging.bulk_lane SET held_reason = NULL WHERE job_id = $1', [job.jobId]);
    await lanes.control(job, 'PAUSE');
    await lanes.control(job, 'RESUME');
    const [first] = attemptsOf(await lanes.claim('a process', 1), job);
    if (!first) throw new Error('nothing was claimed');
    await store.settle(settlementOf(first, { state: 'refused', kind: 'blocked', code: '131031', message: 'locked' }));
    expect(await claimed(job)).toEqual([]);
    expect((await heldAndReleased(job)).slice(2)).toEqual([
      ['released', 'SPAM_LIMIT'],
      ['held', 'SPAM_LIMIT'],
      ['held', 'CHANNEL_BLOCKED'],
    ]);
  });

  it('of another job that begins later is held for what the upstream said of their channel, as long as the first one is', async () => {
    const sender = await store.sender(2);
    const [one, later, free] = [lanes.job(sender), lanes.job(sender), lanes.job(sender)];
    await lanes.submit(one);
    for (const reason of ['QUOTA', 'SPAM_LIMIT'] as const) await lanes.control(one, 'HOLD', reason);
    await lanes.submit(later);
    expect(await claimed(later)).toEqual([]);
    expect(await heldAndReleased(later)).toEqual([
      ['held', 'QUOTA'],
      ['held', 'SPAM_LIMIT'],
      ['held', 'SPAM_LIMIT'],
    ]);
    for (const job of [one, later]) await lanes.control(job, 'RESUME');
    expect(await claimed(later)).toHaveLength(2);
    await lanes.submit(free);
    expect(await claimed(free)).toHaveLength(2);
  });

  it('that was held before its first batch is held for what the upstream said of its channel as well', async () => {
    const sender = await store.sender(2);
    const [one, later] = [lanes.job(sender), lanes.job(sender)];
    await lanes.submit(one);
    await lanes.control(one, 'HOLD', 'CHANNEL_BLOCKED');
    // As of a job that is held while its first batch is on its way.
    await lanes.control(later, 'HOLD', 'TEMPLATE_NOT_APPROVED');
    await lanes.submit(later);
    await lanes.submit(later);
    await lanes.control(later, 'RELEASE', 'TEMPLATE_NOT_APPROVED');
    expect(await claimed(later)).toEqual([]);
    expect((await heldAndReleased(later)).slice(1)).toEqual([
      ['held', 'CHANNEL_BLOCKED'],
      ['released', 'TEMPLATE_NOT_APPROVED'],
    ]);
    await lanes.control(later, 'RESUME');
    expect(await claimed(later)).toHaveLength(2);
  });

  it('keeps what the upstream held it for when its channel is connected again, and goes on by hand', async () => {
    const job = lanes.job(await store.sender(2));
    await lanes.submit(job);
    const [first] = attemptsOf(await lanes.claim('a process', 1), job);
    if (!first) throw new Error('nothing was claimed');
    await lanes.control(job, 'HOLD', 'CHANNEL_DISCONNECTED');
    const blocked: UpstreamOutcome = { state: 'refused', kind: 'blocked', code: '131031', message: 'locked' };
    const paused: UpstreamOutcome = { state: 'refused', kind: 'template-paused', code: '132015', message: 'paused' };
    await store.settle(...[blocked, blocked, paused].map((outcome) => settlementOf(first, outcome)));
    expect(await releaseConnected(store.database)).toBe(1);
    expect(await releaseConnected(store.database)).toBe(0);
    expect(await claimed(job)).toEqual([]);
    await lanes.control(job, 'RESUME');
    expect(await claimed(job)).toHaveLength(1);
    expect(await heldAndReleased(job)).toEqual([
      ['held', 'CHANNEL_DISCONNECTED'],
      ['held', 'CHANNEL_BLOCKED'],
      ['held', 'TEMPLATE_NOT_APPROVED'],
      ['released', 'CHANNEL_DISCONNECTED'],
      ['released', 'CHANNEL_BLOCKED'],
      ['released', 'TEMPLATE_NOT_APPROVED'],
    ]);
  });

  it.each(['PAUSE', 'WITHDRAW'] as const)('answers %s when no attempt begins any more', async (action) => {
    const job = lanes.job(await store.sender(3));
    await lanes.submit(job);
    const [first, second] = attemptsOf(await lanes.claim('a process', 2), job);
    if (!first || !second) throw new Error('too few were claimed');
    // They may begin for an hour: their end alone ends the wait.
    await lanes.run("UPDATE messaging.dispatch SET due_at = due_at + interval '1 hour'");
    let hasAnswered = false;
    const answered = lanes.control(job, action).then(() => void (hasAnswered = true));
    await eventually(async () => (await lanes.run(STOPPED, [job.jobId])).length > 0);
    await store.settle(settlementOf(first, taken(first)));
    expect(hasAnswered).toBe(false);
    await store.settle(settlementOf(second, taken(second)));
    await answered;
    const refused = lanes.control(lanes.job(job.sender), action);
    await expect(refused).resolves.toMatchObject({ begun: 0 });
  });

  it('is withdrawn with what was to be sent again, whatever of it comes afterwards', async () => {
    const job = lanes.job(await store.sender(3));
    await lanes.submit(job);
    const [waiting, late, sent] = attemptsOf(await lanes.claim(), job);
    if (!waiting || !late || !sent) throw new Error('too few were claimed');
    const settlements = new SettleDispatch(store.database, silentRelay, new RetrySignal(), new LaneSignal(), log);
    await settlements.execute(settlementOf(waiting, NOT_NOW));
    await store.settle(settlementOf(sent, taken(sent)));
    await lanes.control(job, 'PAUSE');
    await lanes.control(job, 'WITHDRAW');
    expect(await store.message(waiting)).toMatchObject(CANCELED);
    expect(await store.message(sent)).toMatchObject({ status: 'SENT' });
    expect(await store.message(late)).toMatchObject({ status: 'QUEUED' });
    await settlements.execute(settlementOf(late, NOT_NOW));
    await eventually(async () => (await store.message(late)).status === 'FAILED');
    expect(await store.message(late)).toMatchObject(CANCELED);
    await settlements.beforeApplicationShutdown();
    await lanes.letPass(3_600_000);
    expect(await claimed(job)).toEqual([]);
    const failed = (await store.events(job.sender.organizationId)).filter(({ subject }) =>
      subject.includes('message.failed'),
    );
    expect(failed).toHaveLength(2);
  });

  it('that is withdrawn waits for no message that somebody holds, and ends it later', async () => {
    const jobs = [lanes.job(await store.sender(1)), lanes.job(await store.sender(1))];
    const attempts: LaneAttempt[] = [];
    for (const job of jobs) {
      await lanes.submit(job);
      attempts.push(...attemptsOf(await lanes.claim(), job));
    }
    const [held, free] = attempts;
    if (!held || !free) throw new Error('too few were claimed');
    for (const attempt of attempts) await store.settle(settlementOf(attempt, NOT_NOW));
    await lanes.run('UPDATE messaging.bulk_lane SET is_withdrawn = true WHERE NOT is_withdrawn');
    await store.database.transaction(async (tx) => {
      await lockMessages(tx, [held]);
      await endWithdrawn(store.database, null, new Date());
    });
    expect(await store.message(free)).toMatchObject(CANCELED);
    expect(await store.message(held)).toMatchObject({ status: 'QUEUED' });
    await endWithdrawn(store.database, null, new Date());
    expect(await store.message(held)).toMatchObject(CANCELED);
  });

  it('that was withdrawn by a process which ended is ended by the next look', async () => {
    const job = lanes.job(await store.sender(1));
    await lanes.submit(job);
    const [only] = attemptsOf(await lanes.claim(), job);
    if (!only) throw new Error('nothing was claimed');
    await store.settle(settlementOf(only, NOT_NOW));
    await lanes.run('UPDATE messaging.bulk_lane SET is_withdrawn = true WHERE job_id = $1', [job.jobId]);
    expect(await claimed(job)).toEqual([]);
    expect(await endWithdrawn(store.database, null, new Date())).toBe(false);
    expect(await store.message(only)).toMatchObject(CANCELED);
  });
});
