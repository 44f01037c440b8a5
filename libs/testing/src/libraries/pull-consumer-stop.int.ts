import { expect, it } from '@jest/globals';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import { messagingContactsConsumer } from '@switchboard/contracts/consumers';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { EventPublisher, PullConsumer } from '@switchboard/nats';
import { eventually, testServers } from '../index.js';

const servers = testServers();
/** Delivers again after a minute: later than this test waits. */
const patient = { ...messagingContactsConsumer, name: 'patient' };
const ROUNDS = 20;
const EVENTS = 200;

it('a consumer that stops while events are on their way leaves none of them to the patience of the broker', async () => {
  const nats = await servers.nats();
  const admin = await nats.connect('admin');
  const publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
  const config = {
    durable_name: patient.name,
    filter_subject: patient.filter,
    ack_policy: 'explicit',
    deliver_policy: 'new',
    ack_wait: 60e9,
    max_ack_pending: 1_000,
  };
  const request = JSON.stringify({ stream_name: 'CONTACTS', config });
  await admin.request(`$JS.API.CONSUMER.DURABLE.CREATE.CONTACTS.${patient.name}`, request, { timeout: 20_000 });
  const publish = async (): Promise<string> => {
    const [id, { subject }] = [newCuid(), contactChanged];
    const envelope = { id, subject, organizationId: 'corg', aggregateId: id, sequence: 1, occurredAt: '', data: null };
    await publisher.publish({ id, subject, payload: JSON.stringify(envelope), traceparent: null });
    return id;
  };
  const heard = new Set<string>();
  const start = (onBatch: () => void): PullConsumer => {
    const consumer = new PullConsumer({
      connection: admin,
      consumer: patient,
      batchMax: 1_000,
      nextOf: (events) => events.slice(0, 5),
      handle: async (events) => {
        onBatch();
        return events.map(({ envelope }) => (heard.add(envelope.id), { ack: true }));
      },
      onMalformed: () => undefined,
      onError: () => undefined,
    });
    consumer.start();
    return consumer;
  };
  const ids: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { promise: isFirst, resolve } = Promise.withResolvers<void>();
    const consumer = start(resolve);
    const published = Promise.all(Array.from({ length: EVENTS }, publish));
    await isFirst;
    await consumer.stop();
    ids.push(...(await published));
  }
  const last = start(() => undefined);
  await eventually(() => ids.every((id) => heard.has(id)));
  expect(heard.size).toBe(ROUNDS * EVENTS);
  await last.stop();
});
