import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { messagingContactsConsumer, type ConsumerTopology } from '@switchboard/contracts/consumers';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { EventPublisher, PullConsumer, type NatsConnection } from '@switchboard/nats';
import { eventually, testServers, type TestNats } from '../index.js';

const servers = testServers();
/** Longer than any test may take: what begins is not begun by time. */
const NEVER_MS = 2 ** 30;
const BATCH_MAX = 3;

let nats: TestNats;
let admin: NatsConnection;
let publisher: EventPublisher;
let batches: string[][];
let consumer: PullConsumer;
let topology: ConsumerTopology;
beforeAll(async () => {
  nats = await servers.nats();
  admin = await nats.connect('admin');
  publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
});
beforeEach(async () => {
  batches = [];
  topology = await makeConsumer();
  consumer = new PullConsumer({
    connection: admin,
    consumer: topology,
    batchMax: BATCH_MAX,
    unhurried: { includes: ({ envelope }) => envelope.aggregateId.startsWith('slow'), gatherMs: NEVER_MS },
    handle: async (events) => {
      batches.push(events.map(({ envelope }) => envelope.aggregateId));
      return events.map(() => ({ ack: true }));
    },
    onMalformed: () => undefined,
    onError: () => undefined,
  });
  consumer.start();
  await publish('slow first');
  await eventually(() => batches.length === 1);
});
afterEach(() => consumer.stop());

async function publish(aggregateId: string): Promise<void> {
  const [id, { subject }] = [newCuid(), contactChanged];
  const envelope = { id, subject, organizationId: 'corg', aggregateId, sequence: 1, occurredAt: '', data: null };
  await publisher.publish({ id, subject, payload: JSON.stringify(envelope), traceparent: null });
}

/** One for each test: what the broker still sends to a pull of another is nothing of its own. */
async function makeConsumer(): Promise<ConsumerTopology> {
  const { stream, filter } = messagingContactsConsumer;
  const name = `gather-${newCuid()}`;
  const config = { durable_name: name, filter_subject: filter, ack_policy: 'explicit', deliver_policy: 'new' };
  const request = JSON.stringify({ stream_name: stream, config });
  await admin.request(`$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${name}`, request, { timeout: 20_000 });
  return { ...messagingContactsConsumer, name };
}

/** Until the consumer was delivered so many events that it has not acknowledged. */
async function untilItHolds(events: number): Promise<void> {
  const { name, stream } = topology;
  await eventually(async () => {
    const answer = await admin.request(`$JS.API.CONSUMER.INFO.${stream}.${name}`, '', { timeout: 20_000 });
    const info = answer.json<Readonly<Record<string, number>>>();
    return info.num_ack_pending === events && info.num_pending === 0;
  });
}

describe('a consumer with events that have time', () => {
  it('takes one after a quiet time at once, and those that follow with the first that has none', async () => {
    await publish('slow second');
    await untilItHolds(1);
    expect(batches).toEqual([['slow first']]);
    await publish('fast');
    await eventually(() => batches.length === 2);
    await publish('slow third');
    await untilItHolds(1);
    expect(batches).toEqual([['slow first'], ['slow second', 'fast']]);
  });

  it('begins a batch at once to which nothing can come any more: its pull is full', async () => {
    const slow = ['slow a', 'slow b'];
    for (const aggregateId of slow) await publish(aggregateId);
    await eventually(() => batches.length === 2);
    expect(batches[1]).toEqual(slow);
  });

  it('takes what it holds when it is stopped', async () => {
    await publish('slow second');
    await untilItHolds(1);
    await consumer.stop();
    expect(batches).toEqual([['slow first'], ['slow second']]);
  });
});
