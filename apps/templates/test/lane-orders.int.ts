import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually, lockWaiters, testServers } from '@switchboard/testing';
import { statement } from '@switchboard/postgres';
import { ordersDone, takeDueOrders, takeOrders, type TakenOrders } from '../src/lane/lane-order.repository.js';
import { ReleaseSignal } from '../src/job/release-signal.js';
import { ReleaseQuotaWorker } from '../src/release-quota/release-quota.worker.js';
import { JobStore, patient, recipient } from './job-store.js';

const servers = testServers();
/** As `appendLaneOrders`, without waiting for COMMIT. */
const appendResumeSql = statement(
  'test.append-resume',
  `UPDATE lane_order SET actions = actions || 'RESUME'::text WHERE organization_id = $1 AND job_id = $2`,
);
let store: JobStore;

beforeEach(async () => {
  store = await JobStore.openAnew(servers);
});
afterEach(() => void jest.restoreAllMocks());

describe('the orders for a lane', () => {
  it('answers a repeated pause once its lane obeys, whichever replica has the order', async () => {
    const { job } = await store.commit(store.batch(3));
    store.messaging.isAway = true;
    expect(await store.act(job.id, 'pause')).toMatchObject({ status: 'PAUSED' });
    // As another replica that gives the order at this moment.
    await store.change(
      "UPDATE templates.lane_order SET due_at = now() + interval '1 hour', lease = 'other', failures = 0",
    );
    store.messaging.isAway = false;
    // The five seconds that a caller waits do not pass.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    let hasAnswered = false;
    const repeated = store.act(job.id, 'pause').then(() => void (hasAnswered = true));
    for (let looks = 0; looks < 3; looks++) await takeDueOrders(store.database, 8, 'a third');
    expect(hasAnswered).toBe(false);
    const [taken] = await store.rows<TakenOrders>(
      'SELECT organization_id AS "organizationId", job_id AS "jobId" FROM templates.lane_order',
    );
    if (!taken) throw new Error('there is no order');
    await ordersDone(store.database, taken, 'other', 1);
    await repeated;
    expect(store.messaging.lane(job.id).actions).toEqual([]);
  });

  it('are carried out for a caller while they wait after a failure, and are not called done when a replica keeps them', async () => {
    const { job } = await store.commit(store.batch(3));
    store.messaging.isAway = true;
    await store.act(job.id, 'pause');
    await store.change("UPDATE templates.lane_order SET due_at = now() + interval '15 s', failures = 9");
    store.messaging.isAway = false;
    await store.act(job.id, 'cancel');
    expect(store.messaging.lane(job.id).actions.slice(0, 2)).toEqual(['PAUSE', 'WITHDRAW']);
    // As a replica that was killed with the orders in hand.
    await store.change(
      `INSERT INTO templates.lane_order (organization_id, job_id, actions, due_at, lease)
       VALUES ($1, $2, '{WITHDRAW}', now() + interval '1 hour', 'dead')`,
      [store.organizationId, job.id],
    );
    await expect(store.act(job.id, 'cancel')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('are ended by the replica that has them now alone', async () => {
    const { job } = await store.commit(store.batch(3));
    store.messaging.isAway = true;
    await store.act(job.id, 'pause');
    await store.change('UPDATE templates.lane_order SET due_at = now()');
    const take = (lease: string) => takeOrders(store.database, store.organizationId, job.id, lease);
    const former = await take('former');
    await store.change('UPDATE templates.lane_order SET due_at = now()');
    const present = await take('present');
    if (!former || !present) throw new Error('there is no order');
    await ordersDone(store.database, former, 'former', 1);
    const actions = () => store.rows('SELECT actions FROM templates.lane_order');
    expect(await actions()).toEqual([{ actions: ['PAUSE'] }]);
    await ordersDone(store.database, present, 'present', 1);
    expect(await actions()).toEqual([]);
  });

  it('keeps orders that are given while those before are being ended', async () => {
    const { job } = await store.commit(store.batch(3));
    store.messaging.isAway = true;
    await store.act(job.id, 'pause');
    await store.change('UPDATE templates.lane_order SET due_at = now()');
    const key = { organizationId: store.organizationId, jobId: job.id };
    const taken = await takeOrders(store.database, key.organizationId, key.jobId, 'mine');
    if (!taken) throw new Error('there is no order');
    const ending = await patient(store).transaction(async (tx) => {
      // As `appendLaneOrders`, with its row locked and not committed.
      await tx.query(appendResumeSql, [key.organizationId, key.jobId]);
      const ended = ordersDone(patient(store), taken, 'mine', 1);
      await eventually(async () => (await lockWaiters(store.superuser)) > 0);
      return { ended };
    });
    await ending.ended;
    expect(await store.rows('SELECT actions, lease, due_at <= now() AS "isDue" FROM templates.lane_order')).toEqual([
      { actions: ['RESUME'], lease: null, isDue: true },
    ]);
  });
});

it('the quota of a cancelled job is given back of each recipient, slice by slice', async () => {
  const { job } = await store.commit(await store.stage(Array.from({ length: 5_002 }, () => recipient())));
  await store.act(job.id, 'cancel');
  const released = store.messaging.released.get(job.id);
  expect(released?.size).toBe(5_000);
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const release = new ReleaseQuotaWorker(store.database, store.messaging.client, new ReleaseSignal(), silent);
  while (await release.round());
  expect(released?.size).toBe(5_002);
});
