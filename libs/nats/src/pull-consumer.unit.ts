import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { messagingContactsConsumer } from '@switchboard/contracts/consumers';
import type { NatsConnection } from './connection.js';
import { PullConsumer } from './pull-consumer.js';

it('a consumer that stops behind a pull that failed does not wait for the next one', async () => {
  const failed = Promise.withResolvers<unknown>();
  const consumer = new PullConsumer({
    connection: {} as NatsConnection,
    consumer: messagingContactsConsumer,
    durable: () => Promise.reject(new Error('the database is away')),
    batchMax: 1,
    handle: () => Promise.resolve([]),
    onMalformed: () => undefined,
    onError: failed.resolve,
  });
  consumer.start();
  await failed.promise;
  // Nothing is left to wait for: it ends before any timer fires, however short.
  const ended = await Promise.race([consumer.stop().then(() => 'stopped'), wait(500).then(() => 'waits')]);
  expect(ended).toBe('stopped');
});
