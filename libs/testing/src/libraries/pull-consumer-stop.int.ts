import { describe, expect, it } from '@jest/globals';
import { messagingContactsConsumer } from '@switchboard/contracts/consumers';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { EventPublisher, PullConsumer } from '@switchboard/nats';
import { eventually, testServers } from '../index.js';

const servers = testServers();

describe('a consumer that reads ahead', () => {
  it('ends its batch when it is stopped while its next pull fails', async () => {
    const nats = await servers.nats();
    const consumer = messagingContactsConsumer;
    const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const next = Promise.withResolvers<string>();
    const pulls = [Promise.resolve(consumer.name), next.promise];
    let handled = 0;
    const reading = new PullConsumer({
      connection: await nats.connect('messaging'),
      consumer,
      durable: () => pulls.shift() ?? Promise.reject(new Error('a third pull')),
      batchMax: 1,
      readsAhead: true,
      handle: async (events) => {
        begun.resolve();
        await release.promise;
        handled += events.length;
        return events.map(() => ({ ack: true }));
      },
      onMalformed: () => undefined,
      onError: () => undefined,
    });
    const id = newCuid();
    const { subject } = contactChanged;
    const envelope = { id, subject, organizationId: 'corg', aggregateId: id, sequence: 1, occurredAt: '', data: null };
    const publisher = new EventPublisher(await nats.connect('contacts'), 'contacts');
    await publisher.publish({ id, subject, payload: JSON.stringify(envelope), traceparent: null });
    reading.start();
    await begun.promise;
    await eventually(() => pulls.length === 0);
    const stopped = reading.stop().then(() => handled);
    next.reject(new Error('the broker is away'));
    setImmediate(() => setImmediate(release.resolve));
    expect(await stopped).toBe(1);
  });
});
