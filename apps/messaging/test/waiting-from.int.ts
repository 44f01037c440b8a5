import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, lockWaiters, testServers } from '@switchboard/testing';
import { lowerPassed, sweepPaces } from '../src/bulk-lane/channel-pace.repository.js';
import { claimLanes } from '../src/begin-bulk/claim-lanes.js';
import { attemptsOf, LaneStore, type Job } from './lane-store.js';
import { MessagingStore } from './messaging-store.js';

const servers = testServers();

/** Looks at a lane begin at the first recipient that may wait. */
describe('the recipients of a lane that are looked at', () => {
  let store: MessagingStore;
  let lanes: LaneStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    lanes = new LaneStore(store);
  });
  beforeEach(() => lanes.forgetOthers());

  it('begin behind those that a claim has begun', async () => {
    const job = lanes.job(await store.sender(3));
    await lanes.submit(job);
    expect(await claimed(job, 2)).toEqual([0, 1]);
    expect(await boundOf(job)).toBe(2);
    await lanes.look();
    expect(await claimed(job)).toEqual([2]);
    expect(await boundOf(job)).toBe(3);
  });

  it('begin behind those that expired, while nothing of the lane began and its owner stays', async () => {
    const job = lanes.job(await store.sender(3));
    const expiresAt = new Date(0).toISOString();
    await lanes.submit(
      job,
      job.items.map((item) => ({ ...item, expiresAt })),
    );
    expect(await claimed(job)).toEqual([]);
    expect(await boundOf(job)).toBe(3);
    const of = 'SELECT owner FROM messaging.bulk_lane WHERE job_id = $1';
    expect(await lanes.run(of, [job.jobId])).toEqual([{ owner: null }]);
  });

  it('include those that are stored later with a lower index', async () => {
    const job = await begunFrom(2);
    await lanes.submit(job, job.items.slice(0, 2));
    expect(await claimed(job)).toEqual([0, 1]);
  });

  it('include those that are stored, and announced, while a claim that does not see them is under way', async () => {
    const job = lanes.job(await store.sender(2));
    await lanes.submit(job, job.items.slice(1));
    let submitted: Promise<unknown> = Promise.resolve();
    const spec = { owner: 'a process', lease: 'l', channelsMax: 32, attemptsMax: 200 };
    await store.database.transaction(async (tx) => {
      await claimLanes(tx, spec);
      submitted = lanes.submit(job, job.items.slice(0, 1));
      await eventually(async () => (await lockWaiters(store.superuser)) > 0);
    });
    await submitted;
    expect(await boundOf(job)).toBe(0);
    expect(await claimed(job)).toEqual([0]);
  });

  it('include within a minute those whose process was gone before it announced them', async () => {
    const job = await begunFrom(1);
    await lanes.run(
      `INSERT INTO messaging.bulk_item (organization_id, job_id, recipient_index, message_id, phone, content, is_contact_known)
       SELECT organization_id, job_id, 0, $2, $3, '{"template":{"id":"t","name":"n","language":"en"},
         "parameters":{"header":null,"body":[],"buttons":[]},"text":"x","clientReference":null,"metadata":null}', true
       FROM messaging.bulk_lane WHERE job_id = $1`,
      [job.jobId, job.items[0]?.messageId, job.items[0]?.to],
    );
    await lowerPassed(store.database);
    expect(await boundOf(job)).toBe(0);
    // Not before the lane's next turn.
    const begun = await eventually(async () => {
      await sweepPaces(store.database);
      const indexes = await claimed(job);
      return indexes.length > 0 && indexes;
    });
    expect(begun).toEqual([0]);
  });

  /** A job of which all recipients from this one on have begun, and none before is stored. */
  async function begunFrom(index: number): Promise<Job> {
    const job = lanes.job(await store.sender(index + 2));
    await lanes.submit(job, job.items.slice(index));
    await claimed(job);
    expect(await boundOf(job)).toBe(index + 2);
    return job;
  }

  /** Indexes of recipients of the job that a claim has begun. */
  async function claimed(job: Job, max?: number): Promise<(number | undefined)[]> {
    const attempts = attemptsOf(await lanes.claim('a process', max), job);
    return attempts.map(({ messageId }) => job.items.find((item) => item.messageId === messageId)?.recipientIndex);
  }

  async function boundOf({ jobId }: Job): Promise<number | undefined> {
    const sql = 'SELECT waiting_from AS bound FROM messaging.bulk_lane WHERE job_id = $1';
    return (await lanes.run<{ bound: number }>(sql, [jobId]))[0]?.bound;
  }
});
