import { beforeEach, describe, expect, it } from '@jest/globals';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { cuidFloor, newCuid } from '@switchboard/contracts/grammar/cuid';
import { bulkLaneHeld, type LaneHeldReason } from '@switchboard/contracts/messaging/bulk-events';
import type { DeliveredEvent } from '@switchboard/nats';
import { systemClock, type Log, type Platform } from '@switchboard/platform';
import { eventually, testServers } from '@switchboard/testing';
import { changedCauses } from '../src/watch-causes/changed-causes.repository.js';
import { FeedJobsWorker } from '../src/feed-jobs/feed-jobs.worker.js';
import { FeedSignal } from '../src/job/feed-signal.js';
import { nextFeed } from '../src/feed-jobs/job-feed.repository.js';
import { hastenFeeds } from '../src/job/job-flow.js';
import { FollowLanesConsumer } from '../src/follow-lanes/follow-lanes.consumer.js';
import { projectOrganizations, recordQuotaUse } from '../src/organization/organization.repository.js';
import { JobStore, recipient } from './job-store.js';

const servers = testServers();
const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
let store: JobStore;

beforeEach(async () => {
  store = await JobStore.openAnew(servers);
});

describe('a running job', () => {
  it('is fed while another waits for its lane, and its completion is estimated as soon as it runs', async () => {
    const answered = Promise.withResolvers<void>();
    store.messaging.onSubmitted = () => answered.promise;
    const signal = new FeedSignal();
    const worker = new FeedJobsWorker(store.database, store.feedJob, signal, systemClock, silent);
    worker.onApplicationBootstrap();
    try {
      const stuck = await fedIn(signal);
      expect(await store.view(stuck)).toMatchObject({ status: 'RUNNING', estimatedCompletionAt: expect.any(String) });
      await fedIn(signal);
    } finally {
      answered.resolve();
      await worker.onModuleDestroy();
    }
  });

  it('is fed on when the clock of the database has stepped back; one that is scheduled waits for its time', async () => {
    const { job } = await store.commit(store.batch(300));
    const scheduledAt = new Date(Date.now() + 1_800_000).toISOString();
    const { job: later } = await store.commit(store.batch(1, { scheduledAt }));
    await store.feed();
    const fed = store.messaging.lane(job.id).items.size;
    await store.change("UPDATE templates.job_feed SET due_at = due_at + interval '10 minutes'");
    const worker = new FeedJobsWorker(store.database, store.feedJob, new FeedSignal(), systemClock, silent);
    worker.onApplicationBootstrap();
    try {
      await eventually(() => store.messaging.lane(job.id).items.size > fed);
    } finally {
      await worker.onModuleDestroy();
    }
    const isDue =
      'SELECT due_at < now() + interval \'30 minutes\' AS "isDue" FROM templates.job_feed WHERE job_id = $1';
    expect(await store.rows(isDue, [later.id])).toEqual([{ isDue: false }]);
  });

  it('has a recipient skipped of which no message of the broker could hold text and values, and goes on', async () => {
    const components = [{ type: 'BODY', text: `${'{{1}}'.repeat(200)} {{2}}` }];
    await store.change('UPDATE templates.template SET components = $1', [JSON.stringify(components)]);
    // As many characters as a variable may have, each of which is six in JSON.
    const large = recipient({ variables: ['\u0001'.repeat(1_024), 'today'] });
    const { job } = await store.commit(store.batch([recipient(), large, recipient()]));
    await store.feedAll(job.id);
    const { items, skipped } = store.messaging.lane(job.id);
    expect([...items.values()].map(({ recipientIndex }) => recipientIndex)).toEqual([0, 2]);
    expect(skipped.size).toBe(1);
  });

  it('gives duplicates no place in the pace, however many they are', async () => {
    const [first, last] = [recipient(), recipient()];
    const list = [first, ...Array.from({ length: 3_000 }, () => first), last];
    const { job } = await store.commit(await store.stage(list));
    await store.feed();
    expect([...store.messaging.lane(job.id).items.values()].map(({ recipientIndex }) => recipientIndex)).toEqual([
      0, 3_001,
    ]);
  });

  it('is looked at again as soon as a recipient was skipped, unless it is scheduled for later', async () => {
    const { job } = await store.commit(store.batch(5, { throttlePerHour: 60 }));
    await store.feed();
    const dueInMs = async (): Promise<number> => (await nextFeed(store.database)).inMs ?? NaN;
    expect(await dueInMs()).toBeGreaterThan(10_000);
    const key = { organizationId: store.organizationId, jobId: job.id };
    await hastenFeeds(store.database, [key]);
    expect(await dueInMs()).toBeLessThanOrEqual(0);
    await store.change("UPDATE templates.job SET scheduled_at = now() + interval '1 hour'");
    await store.change("UPDATE templates.job_feed SET due_at = now() + interval '1 hour'");
    await hastenFeeds(store.database, [key]);
    expect(await dueInMs()).toBeGreaterThan(10_000);
  });

  it('name the message that there is, which may have another id than the one that was handed over', async () => {
    const { job } = await store.commit(store.batch(2));
    await store.feedAll(job.id);
    const [one, other] = [...store.messaging.lane(job.id).items.values()];
    const renewed = newCuid();
    await store.settle(job.id, [{ index: 0, status: 'UNCONFIRMED', reason: null, messageId: renewed }]);
    await store.settle(
      job.id,
      [0, 1].map((index) => ({ index, status: 'SENT' as const, reason: null })),
    );
    expect(one?.messageId).not.toBe(renewed);
    expect((await store.recipients(job.id)).map(({ messageId }) => messageId)).toEqual([renewed, other?.messageId]);
  });

  it('names the reason for which a message failed that is known last', async () => {
    const { job } = await store.commit(store.batch(1));
    const failed = { index: 0, status: 'FAILED' as const };
    await store.settle(job.id, [{ ...failed, reason: '131049' }]);
    await store.settle(job.id, [{ ...failed, reason: '1' }]);
    expect(await store.recipients(job.id)).toMatchObject([{ reason: '131049' }]);
    await store.settle(job.id, [
      { ...failed, reason: '1' },
      { ...failed, reason: '131026', isCorrection: true },
    ]);
    expect(await store.recipients(job.id)).toMatchObject([{ status: 'FAILED', reason: '131026' }]);
    expect((await store.view(job.id)).counts).toMatchObject({ failed: 1, queued: 0 });
  });

  async function fedIn(signal: FeedSignal): Promise<string> {
    const { job } = await store.commit(store.batch(1));
    signal.wake();
    await eventually(async () => store.messaging.lane(job.id).items.size === 1);
    return job.id;
  }
});

describe('causes that hold jobs', () => {
  it('follow what an organization pays for now: an event that comes late, and an answer about a former number, change nothing', async () => {
    const { job } = await store.commit(store.batch(3));
    const { organizationId, database } = store;
    const late = { organizationId, subscription: 'PAST_DUE', messagesPerMonth: 2, sourceEventId: newCuid() } as const;
    await store.subscribe('ACTIVE', 3);
    await projectOrganizations(database, [late]);
    await recordQuotaUse(database, organizationId, 2, true);
    await store.watch.round();
    expect(await store.view(job.id)).toMatchObject({ status: 'QUEUED', heldReason: null });
  });

  it('are no echo of a lane where this service knows them itself: that may be of an earlier time', async () => {
    const { job } = await store.commit(store.batch(3));
    const follow = new FollowLanesConsumer({ log: silent } as Partial<Platform> as Platform, new FeedSignal());
    const { organizationId } = store;
    const held = (reason: LaneHeldReason): Promise<unknown> =>
      store.database.transaction((tx) =>
        follow.apply(tx, [deliveredOf(bulkLaneHeld.subject, organizationId, { jobId: job.id, reason })]),
      );
    for (const reason of ['QUOTA', 'SUBSCRIPTION'] as const) await held(reason);
    expect(await store.view(job.id)).toMatchObject({ status: 'QUEUED', heldReason: null });
    await held('CHANNEL_BLOCKED');
    expect(await store.view(job.id)).toMatchObject({ status: 'HELD', heldReason: 'CHANNEL_BLOCKED' });
  });

  it('are followed while the job of another organization is locked, and what begins before what ends', async () => {
    const { job: locked } = await store.commit(store.batch(1));
    const { job: free } = await store.commit(store.batch(1));
    const other = newCuid();
    await moveJobs([free.id], other);
    await store.subscribe('PAST_DUE', 1_000);
    await store.change(`UPDATE templates.organization SET subscription = 'PAST_DUE'`);
    const holder = store.superuser.dataSource.createQueryRunner();
    try {
      await holder.startTransaction();
      await holder.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      await holder.query('SELECT FROM templates.job WHERE id = $1 FOR UPDATE', [locked.id]);
      await store.watch.round();
      expect(await holdsOf(free.id)).toEqual(['SUBSCRIPTION']);
    } finally {
      await holder.rollbackTransaction();
      await holder.release();
    }
    expect(await holdsOf(locked.id)).toEqual([]);
  });

  it('are followed while the lanes of another organization do not answer, whose jobs are held all the same', async () => {
    const others = await jobsOfAnother(3);
    const { job: own } = await store.commit(store.batch(1));
    await store.subscribe('PAST_DUE', 1_000);
    const answered = Promise.withResolvers<void>();
    const asked: string[] = [];
    store.messaging.onControlled = async (jobId) => {
      if (!others.includes(jobId)) return;
      asked.push(jobId);
      await answered.promise;
    };
    const round = store.watch.round();
    try {
      await eventually(async () => store.messaging.lane(own.id).actions.length === 1);
    } finally {
      answered.reject(new Error('no answer'));
      await round;
    }
    expect(await Promise.all(others.map(holdsOf))).toEqual(others.map(() => ['SUBSCRIPTION']));
    // The other orders follow in the background.
    expect(asked).toEqual([others[0]]);
    expect(await store.rows('SELECT FROM templates.lane_order')).toHaveLength(others.length);
  });

  it('are found by turns of their organizations, whatever begins for the many jobs of one and ends for another', async () => {
    const others = await jobsOfAnother(3);
    const { job: own } = await store.commit(store.batch(1));
    await store.change(
      `UPDATE templates.job SET holds = '{CHANNEL_DISCONNECTED}', held_at = now() - interval '1 hour' WHERE id = $1`,
      [own.id],
    );
    const found = await changedCauses(store.database, 2);
    expect(found.map(({ jobId, begins }) => [jobId, begins])).toEqual([
      [others[0], true],
      [own.id, false],
    ]);
  });

  it('that begin come before those that end', async () => {
    const { job } = await store.commit(store.batch(1));
    await store.change(
      `UPDATE templates.job SET holds = '{CHANNEL_DISCONNECTED}', held_at = now() - interval '1 hour'`,
    );
    await store.subscribe('PAST_DUE', 1_000);
    const causes = (await changedCauses(store.database, 10)).filter(({ jobId }) => jobId === job.id);
    expect(causes.map(({ reason, begins }) => [reason, begins])).toEqual([
      ['SUBSCRIPTION', true],
      ['CHANNEL_DISCONNECTED', false],
    ]);
  });

  it('end with what a channel says after it was held, and of a template that goes on being refused ever later', async () => {
    const held = async (reason: string, age: string, running: string): Promise<unknown[]> => {
      await store.change(
        `UPDATE templates.job SET holds = $1, held_at = now() - $2::interval, started_at = now() - $2::interval - $3::interval`,
        [[reason], age, running],
      );
      return (await changedCauses(store.database, 10)).map(({ begins }) => begins);
    };
    await store.commit(store.batch(1));
    const connectedAt = (at: Date) => store.change('UPDATE templates.channel SET last_event_id = $1', [cuidFloor(at)]);
    await connectedAt(new Date(Date.now() - 3_600_000));
    expect(await held('CHANNEL_DISCONNECTED', '5 minutes', '1 day')).toEqual([]);
    await connectedAt(new Date(Date.now() - 5_000));
    expect(await held('CHANNEL_DISCONNECTED', '5 minutes', '1 day')).toEqual([false]);
    await store.change("UPDATE templates.template SET updated_at = now() - interval '1 day'");
    expect(await held('TEMPLATE_NOT_APPROVED', '61 seconds', '1 s')).toEqual([false]);
    expect(await held('TEMPLATE_NOT_APPROVED', '61 seconds', '120 s')).toEqual([]);
    expect(await held('TEMPLATE_NOT_APPROVED', '121 seconds', '120 s')).toEqual([false]);
    expect(await held('TEMPLATE_NOT_APPROVED', '601 seconds', '2 days')).toEqual([false]);
  });

  /** So many jobs of an organization before ours in the order of ids, that is PAST_DUE. @returns their ids, ascending */
  async function jobsOfAnother(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let made = 0; made < count; made++) ids.push((await store.commit(store.batch(1))).job.id);
    await moveJobs(ids, `a${store.organizationId.slice(1)}`);
    return ids;
  }

  /** Makes jobs another organization's, with a template, a channel and a subscription of its own. */
  async function moveJobs(ids: readonly string[], organizationId: string): Promise<void> {
    for (const table of ['template', 'channel']) {
      await store.change(
        `INSERT INTO templates.${table} SELECT (jsonb_populate_record(t, jsonb_build_object('organization_id', $1::text))).*
         FROM templates.${table} t`,
        [organizationId],
      );
    }
    await store.change('UPDATE templates.job SET organization_id = $1 WHERE id = ANY ($2)', [organizationId, ids]);
    await store.change(
      `INSERT INTO templates.organization (organization_id, subscription, messages_per_month, last_event_id)
       VALUES ($1, 'PAST_DUE', 1000, 'c')`,
      [organizationId],
    );
  }

  async function holdsOf(jobId: string): Promise<string[]> {
    const [row] = await store.rows<{ holds: string[] }>('SELECT holds FROM templates.job WHERE id = $1', [jobId]);
    return row?.holds ?? [];
  }
});

function deliveredOf(
  subject: string,
  organizationId: string,
  data: { readonly jobId: string; readonly reason: string },
): DeliveredEvent {
  const of = { id: newCuid(), subject, organizationId, aggregateId: data.jobId, sequence: null };
  return { envelope: { ...of, occurredAt: new Date().toISOString(), data }, deliveries: 1, context: ROOT_CONTEXT };
}
