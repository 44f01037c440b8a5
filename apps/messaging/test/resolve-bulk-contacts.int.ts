import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RpcClient } from '@switchboard/nats';
import type { Log } from '@switchboard/platform';
import { testServers } from '@switchboard/testing';
import { ChannelWakes } from '../src/bulk-lane/channel-wakes.batch.js';
import { LaneSignal, UnknownContactSignal } from '../src/bulk-lane/lane-signal.js';
import { ContactRepository } from '../src/contact/contact.repository.js';
import { ResolveBulkContactsWorker } from '../src/resolve-bulk-contacts/resolve-bulk-contacts.worker.js';
import { LaneStore, type Job } from './lane-store.js';
import { MessagingStore, type Sender } from './messaging-store.js';

const servers = testServers();
const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

class Rounds extends ResolveBulkContactsWorker {
  /** One round of the loop. */
  next() {
    return this.round();
  }
}

describe('recipients whose contacts are not known', () => {
  let store: MessagingStore;
  let lanes: LaneStore;
  let rounds: Rounds;
  /** Of each question to contacts the organization. */
  let asked: string[];
  /** Organizations that contacts cannot serve. */
  let unserved: Set<string>;

  beforeAll(async () => {
    store = await MessagingStore.open(servers);
    lanes = new LaneStore(store);
  });
  beforeEach(async () => {
    await lanes.run('DELETE FROM messaging.bulk_item');
    [asked, unserved] = [[], new Set()];
    const call = async (_rpc: unknown, { organizationId }: { readonly organizationId: string }) => {
      asked.push(organizationId);
      if (unserved.has(organizationId)) throw new Error('contacts does not answer');
      return { contacts: [] };
    };
    const rpc = { call } as Partial<RpcClient> as RpcClient;
    const contacts = new ContactRepository(store.database);
    const wakes = new ChannelWakes(store.database, new LaneSignal());
    rounds = new Rounds(store.database, rpc, contacts, wakes, new UnknownContactSignal(), log);
  });

  it('are asked for by turns of their organizations, however many jobs one of them has', async () => {
    const [crowd, other] = await sendersById();
    for (let made = 0; made < 12; made++) await unknownJob(crowd);
    await unknownJob(other);
    await rounds.next();
    expect(asked).toEqual([crowd.organizationId, other.organizationId]);
    for (let round = 0; round < 12; round++) await rounds.next();
    expect(asked.filter((organizationId) => organizationId === crowd.organizationId)).toHaveLength(12);
    expect(await unknownCount()).toBe(0);
  });

  it('of every organization have their turn when there are more than a round takes', async () => {
    const senders = await Promise.all(Array.from({ length: 11 }, () => store.sender(1)));
    for (const sender of senders) for (let made = 0; made < 2; made++) await unknownJob(sender);
    for (let round = 0; round < 2; round++) await rounds.next();
    expect(asked.toSorted()).toEqual(senders.map(({ organizationId }) => organizationId).toSorted());
    for (let round = 0; round < 2; round++) await rounds.next();
    expect(await unknownCount()).toBe(0);
  });

  it('of a job that is large leave the other jobs of its organization their turns', async () => {
    const sender = await store.sender(150);
    const [large, small] = [await unknownJob(sender), await unknownJob(sender, 1)];
    for (let round = 0; round < 2; round++) await rounds.next();
    expect([await unknownCount(large), await unknownCount(small)]).toEqual([50, 0]);
    await rounds.next();
    expect(await unknownCount()).toBe(0);
  });

  it('wait while contacts does not serve their organization, and hold up no other', async () => {
    const [unhappy, other] = await sendersById();
    for (const sender of [unhappy, other, other]) await unknownJob(sender);
    unserved.add(unhappy.organizationId);
    for (let round = 0; round < 2; round++) await rounds.next();
    expect(asked).toEqual([unhappy.organizationId, other.organizationId, other.organizationId]);
    expect(await unknownCount()).toBe(1);
  });

  /** In the order in which a walk meets them. */
  async function sendersById(): Promise<[Sender, Sender]> {
    const [one, two] = [await store.sender(1), await store.sender(1)];
    return one.organizationId < two.organizationId ? [one, two] : [two, one];
  }

  async function unknownJob(sender: Sender, recipients = sender.contacts.length): Promise<Job> {
    const job = lanes.job(sender);
    await lanes.submit(job, job.items.slice(0, recipients));
    await lanes.run('UPDATE messaging.bulk_item SET is_contact_known = false WHERE job_id = $1', [job.jobId]);
    return job;
  }

  async function unknownCount(job: Job | null = null): Promise<number> {
    const [row] = await lanes.run<{ count: number }>(
      `SELECT count(*)::int AS count FROM messaging.bulk_item
       WHERE state = 'WAITING' AND NOT is_contact_known AND ($1::text IS NULL OR job_id = $1)`,
      [job?.jobId ?? null],
    );
    return row?.count ?? 0;
  }
});
