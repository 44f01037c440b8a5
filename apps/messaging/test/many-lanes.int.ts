import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { nodesOf, planOf, preparedStatements, testServers } from '@switchboard/testing';
import { claimableLanes } from '../src/begin-bulk/claimable-lanes.repository.js';
import { claimPaced } from '../src/dispatch/paced-claim.repository.js';
import { closeFinished } from '../src/close-lanes/close-lanes.js';
import { attemptsOf, LaneStore, type Job } from './lane-store.js';
import { MessagingStore } from './messaging-store.js';

const servers = testServers();

describe('many lanes of a channel', () => {
  let store: MessagingStore;
  let lanes: LaneStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    lanes = new LaneStore(store);
  });
  beforeEach(() => lanes.forgetOthers());

  const claimable = async ({ sender }: Job, lanesMax = 201): Promise<readonly string[]> =>
    store.database.transaction(async (tx) =>
      (await claimableLanes(tx, [{ ...sender, lanesMax }], 201, -Infinity)).map(({ jobId }) => jobId),
    );

  it('are claimed for as long as something of them waits, or is to be sent again', async () => {
    const sender = await store.sender(2);
    const [waiting, begun, finished, repeated] = [0, 1, 2, 3].map(() => lanes.job(sender)) as [Job, Job, Job, Job];
    for (const job of [begun, finished, repeated]) await lanes.submit(job);
    const attempts = await lanes.claim();
    await lanes.submit(waiting);
    await finish(finished, repeated);
    const [again] = attemptsOf(attempts, repeated);
    await lanes.run(
      `UPDATE messaging.dispatch SET state = 'PACED', due_at = now() + interval '1 minute' WHERE message_id = $1`,
      [again?.messageId],
    );
    expect(await claimable(waiting)).toEqual([waiting.jobId, repeated.jobId].toSorted());
  });

  it('are not looked at but for those that begin next, and each has its turn', async () => {
    const sender = await store.sender(2);
    const made = Array.from({ length: 80 }, () => lanes.job(sender));
    // What has waited for as long goes by its id.
    const jobs = made.toSorted((one, other) => (one.jobId < other.jobId ? -1 : 1));
    for (const job of jobs) await lanes.submit(job);
    const [first] = jobs as [Job];
    expect(await claimable(first, 10)).toHaveLength(10);
    const turns: number[] = [];
    while (turns.length < 160) {
      await lanes.look();
      const { attempts } = await lanes.claim();
      expect(attempts.length).toBeGreaterThan(0);
      const bySlot = attempts.toSorted((one, other) => one.lane.slotMs - other.lane.slotMs);
      const own = bySlot.map(({ lane }) => jobs.findIndex(({ jobId }) => jobId === lane.jobId));
      turns.push(...own.filter((index) => index >= 0));
      await lanes.letPass(400);
    }
    const once = [...jobs.keys()];
    expect(turns).toEqual([...once, ...once]);
    expect(await claimable(first)).toEqual([]);
  });

  it('that somebody holds are claimed for a little later, and those in their place', async () => {
    const sender = await store.sender(1);
    const jobs = Array.from({ length: 60 }, () => lanes.job(sender));
    for (const job of jobs) await lanes.submit(job);
    const holder = await store.superuser.connect();
    try {
      await holder.query('BEGIN');
      const hold = `SELECT FROM messaging.bulk_lane WHERE channel_id = $1 ORDER BY job_id LIMIT 10 FOR UPDATE`;
      await holder.query(hold, [sender.channelId]);
      const { attempts } = await lanes.claim();
      expect(attempts.length).toBeLessThan(50);
      const [pace] = await lanes.run(
        `SELECT look_at < now() + interval '1 minute' AS "isSoon" FROM messaging.channel_pace WHERE channel_id = $1`,
        [sender.channelId],
      );
      expect(pace).toEqual({ isSoon: true });
    } finally {
      holder.release(true);
    }
  });

  it('of a channel that is not connected are all held with the next look', async () => {
    const sender = await store.sender(1);
    const jobs = Array.from({ length: 80 }, () => lanes.job(sender));
    for (const job of jobs) await lanes.submit(job);
    await lanes.run(`UPDATE messaging.channel SET status = 'DISCONNECTED' WHERE id = $1`, [sender.channelId]);
    expect(await claimable(jobs[0] as Job, 10)).toHaveLength(80);
  });

  it('are closed as fast as jobs finish', async () => {
    const sender = await store.sender(1);
    await lanes.run(
      `INSERT INTO messaging.bulk_lane (organization_id, job_id, channel_id, finished_at)
       SELECT $1, 'cold' || n, $2, now() - interval '2 hours' FROM generate_series(1, 250) AS n`,
      [sender.organizationId, sender.channelId],
    );
    const rounds: boolean[] = [];
    do rounds.push(await closeFinished(store.database));
    while (rounds.at(-1) === true);
    expect(rounds).toEqual([true, true, false]);
  });

  it('are closed too when they were withdrawn before anything came, whether or not the end of their job is announced later', async () => {
    const job = lanes.job(await store.sender(1));
    await lanes.control(job, 'WITHDRAW');
    const aged = `UPDATE messaging.bulk_lane SET finished_at = finished_at - interval '2 hours' WHERE job_id = $1 RETURNING job_id`;
    expect((await lanes.run(aged, [job.jobId]))[0]).toEqual([{ job_id: job.jobId }]);
    await closeFinished(store.database);
    const open = await lanes.run('SELECT FROM messaging.bulk_lane WHERE is_open AND job_id = $1', [job.jobId]);
    expect(open).toEqual([]);
  });

  it('are asked for what is to be sent again by its index alone, with statistics or without', async () => {
    const job = lanes.job(await store.sender(1));
    await lanes.submit(job);
    await lanes.claim();
    await expectIndexes(job);
    await store.superuser.dataSource.query('VACUUM ANALYZE messaging.dispatch, messaging.bulk_lane');
    await expectIndexes(job);
    // Of another channel much waits that is due.
    const other = await store.sender(1);
    await lanes.run(
      `INSERT INTO messaging.dispatch (organization_id, message_id, channel_id, contact_id, recipient_phone, lease, state, due_at,
         attempts, job_id)
       SELECT $1, messaging.cuid_floor(now()) || lpad(n::text, 16, '0'), $2, 'c', '+1', 'l', 'PACED', now(), 1, 'cjob'
       FROM generate_series(1, 20000) AS n`,
      [other.organizationId, other.channelId],
    );
    await store.superuser.dataSource.query('VACUUM ANALYZE messaging.dispatch');
    await expectIndexes(job);
    await store.forgetDispatches();
  });

  /** Plans the claim on a new connection and expects each look at what is to be sent to go by the index made for it. */
  async function expectIndexes({ sender }: Job): Promise<void> {
    const database = await store.openAnother();
    await database.transaction((tx) => claimableLanes(tx, [{ ...sender, lanesMax: 201 }], 201, -Infinity));
    await database.transaction((tx) => claimPaced(tx, [{ ...sender, jobId: 'cjob', count: 10 }], 'l', -Infinity));
    const statements = await preparedStatements(database);
    for (const name of ['messaging.lane.claimable', 'messaging.dispatch.claim-paced']) {
      const claim = statements.find((one) => one.name === name);
      if (!claim) throw new Error(`${name} was not prepared`);
      const looks = nodesOf(await planOf(database, claim)).filter((node) => node['Relation Name'] === 'dispatch');
      const used = new Set(looks.map((node) => node['Index Name']));
      expect([name, [...used].toSorted()]).toEqual([
        name,
        expect.arrayContaining(['dispatch_order', 'dispatch_paced']),
      ]);
      expect([name, used.has('dispatch_due')]).toEqual([name, false]);
    }
  }

  async function finish(...jobs: readonly Job[]): Promise<void> {
    const ids = jobs.map(({ jobId }) => jobId);
    await lanes.run('UPDATE messaging.bulk_lane SET finished_at = now() WHERE job_id = ANY ($1)', [ids]);
  }
});
