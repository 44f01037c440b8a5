import { beforeAll, describe, expect } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { Budget, type RpcCall } from '@switchboard/nats';
import { itOnOneDay as it, lockWaiters, testServers } from '@switchboard/testing';
import { eventually } from '@switchboard/testing/eventually';
import { ReleaseQuotaHandler } from '../src/release-quota/release-quota.handler.js';
import { ReserveQuotaHandler } from '../src/reserve-quota/reserve-quota.handler.js';
import { LaneStore } from './lane-store.js';
import { MessagingStore, type Sender } from './messaging-store.js';

const servers = testServers();
const thisMonth = (): string => new Date().toISOString().slice(0, 7);

describe('quota reserved for jobs', () => {
  let store: MessagingStore;
  let lanes: LaneStore;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    lanes = new LaneStore(store);
  });

  const call = <Request>({ organizationId }: Sender, request: Request): RpcCall<Request> => {
    const principal = systemPrincipal(organizationId, 'test');
    return { principal, request, budget: new Budget(60_000) } as RpcCall<Request>;
  };
  const reserve = (sender: Sender, jobId: string, count: number, limit: number | null) =>
    new ReserveQuotaHandler(store.database).reserve(call(sender, { jobId, month: thisMonth(), count, limit }));
  const release = (sender: Sender, jobId: string, recipients: readonly number[] | null) =>
    new ReleaseQuotaHandler(store.database).release(call(sender, { jobId, recipients }));

  it('is never more than the limit, whatever reserves and sends at once, and is had all or not at all', async () => {
    const sender = await store.sender(20);
    const jobs = Array.from({ length: 30 }, () => newCuid());
    const requests = sender.contacts.map((_, index) => ({ ...store.request(sender, index), messagesPerMonth: 100 }));
    const [reserved] = await Promise.all([
      Promise.all(jobs.map((jobId) => reserve(sender, jobId, 7, 100))),
      ...requests.map((request) => store.accept([request]).catch(() => [])),
    ]);
    const used = await store.used(sender.organizationId, thisMonth());
    expect(used).toBeLessThanOrEqual(100);
    const had = reserved.filter((one) => one.reserved).length;
    expect(had).toBeLessThan(30);
    expect(100 - used).toBeLessThan(7);
    // Asked again, each is answered as before, and nothing is taken twice.
    const again = await Promise.all(jobs.slice(0, 5).map((jobId) => reserve(sender, jobId, 7, 100)));
    expect(again.map((one) => one.reserved)).toEqual(reserved.slice(0, 5).map((one) => one.reserved));
    expect(await store.used(sender.organizationId, thisMonth())).toBe(used);
    expect(await store.quotaFaults()).toEqual([]);
  });

  it('is given back once for a recipient that does not fit its template, and not for those that a batch brought', async () => {
    const job = lanes.job(await store.sender(3));
    const { organizationId } = job.sender;
    await reserve(job.sender, job.jobId, 3, null);
    await lanes.submit(job, job.items.slice(0, 2));
    await lanes.skip(job);
    expect(await store.used(organizationId, thisMonth())).toBe(2);
    await lanes.skip(job);
    expect(await store.used(organizationId, thisMonth())).toBe(2);
    expect(await store.quotaFaults()).toEqual([]);
  });

  it('is given back behind a locked quota by few of the connections: the others find some', async () => {
    const [sender, other] = [await store.sender(1), await store.sender(1)];
    const jobId = newCuid();
    await reserve(sender, jobId, 20, null);
    const holder = await store.superuser.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM messaging.quota WHERE organization_id = $1 FOR UPDATE', [sender.organizationId]);
      const released = Promise.allSettled(Array.from({ length: 20 }, (_, index) => release(sender, jobId, [index])));
      await eventually(async () => (await lockWaiters(store.superuser)) >= 2);
      const reserved = reserve(other, newCuid(), 1, null);
      for (let look = 0; look < 20; look++) expect(await lockWaiters(store.superuser)).toBeLessThanOrEqual(2);
      expect(await reserved).toMatchObject({ reserved: true });
      await holder.query('ROLLBACK');
      await released;
    } finally {
      holder.release(true);
    }
    expect(await store.quotaFaults()).toEqual([]);
  });

  it('is given back once for each recipient, and never for one that has begun', async () => {
    const sender = await store.sender(5);
    const job = lanes.job(sender);
    await reserve(sender, job.jobId, 5, 10);
    await lanes.submit(job, job.items.slice(0, 2));
    await lanes.claim();
    const answers = await Promise.all([release(sender, job.jobId, [0, 3, 4]), release(sender, job.jobId, [1, 4, 4])]);
    expect(answers.reduce((sum, { released }) => sum + released, 0)).toBe(2);
    expect(await store.used(sender.organizationId, thisMonth())).toBe(3);
    // What lay in the lane is given back by the withdrawal itself.
    await lanes.submit(job, job.items.slice(2, 3));
    await lanes.control(job, 'WITHDRAW');
    await release(sender, job.jobId, [2]);
    expect(await store.used(sender.organizationId, thisMonth())).toBe(2);
    expect(await store.quotaFaults()).toEqual([]);
  });

  it('is given back as a whole when the job was never committed, once', async () => {
    const sender = await store.sender(1);
    const jobId = newCuid();
    await reserve(sender, jobId, 5, null);
    expect([await release(sender, jobId, null), await release(sender, jobId, null)]).toEqual([
      { released: 5 },
      { released: 0 },
    ]);
    expect(await store.used(sender.organizationId, thisMonth())).toBe(0);
    expect(await reserve(sender, jobId, 5, null)).toMatchObject({ reserved: false });
    expect(await store.quotaFaults()).toEqual([]);
  });
});
