import { expect, it } from '@jest/globals';
import { messagingContactsConsumer } from '@switchboard/contracts/consumers';
import { EventPublisher, type DeliveredEvent } from '@switchboard/nats';
import { EventConsumer } from '@switchboard/platform';
import { statement } from '@switchboard/postgres';
import { eventually, testServers } from '../index.js';
import { consumerPlatform, delivered, Outbox1764000000000 } from './outbox-fixture.js';

const servers = testServers();
const inbox = statement<{ id: string }>('t.inbox', 'SELECT event_id AS id FROM inbox');

it('an event that changes nothing at a consumer is acknowledged without a transaction, one next to it is applied', async () => {
  const database = await (await servers.serviceDatabase('contacts', [Outbox1764000000000])).database();
  const nats = await servers.nats();
  const admin = await nats.connect('admin');
  const publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
  const datas = [
    { contact: {} },
    { contact: { jobId: 'job1' } },
    { contact: { jobId: null } },
    { jobId: 'job2' },
    null,
  ];
  const events = datas.map((data) => ({ ...delivered(1).envelope, data }));
  const applied: string[] = [];
  const batches: number[] = [];
  class JobsOnly extends EventConsumer<null> {
    prepare = (): Promise<null> => Promise.resolve(null);
    apply = async (_tx: unknown, given: readonly DeliveredEvent[]): Promise<ReadonlySet<string>> => {
      applied.push(...given.map(({ envelope }) => envelope.id));
      return new Set();
    };
  }
  const consumer = { ...messagingContactsConsumer, concerns: [['contact', 'jobId'], ['jobId']] };
  const platform = consumerPlatform(database, await nats.connect('messaging'), () => undefined);
  const onBatch = (given: readonly DeliveredEvent[]): void => void batches.push(given.length);
  const jobs = new JobsOnly(platform, { consumer, batchMax: 10, onBatch });
  for (const event of events) {
    await publisher.publish({ ...event, payload: JSON.stringify(event), traceparent: null });
  }
  jobs.onApplicationBootstrap();
  servers.onEnd(() => jobs.onModuleDestroy());
  await eventually(async () => {
    const info = (await admin.request(`$JS.API.CONSUMER.INFO.${consumer.stream}.${consumer.name}`)).json();
    return (info as { ack_floor: { stream_seq: number } }).ack_floor.stream_seq === events.length;
  });
  expect(applied).toEqual([events[1]?.id, events[3]?.id]);
  expect((await database.query(inbox, [])).map(({ id }) => id).sort()).toEqual(applied.toSorted());
  expect(batches.reduce((sum, count) => sum + count, 0)).toBe(2);
});
