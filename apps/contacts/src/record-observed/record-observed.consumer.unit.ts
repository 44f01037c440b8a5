import { expect, it } from '@jest/globals';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { optOutObserved } from '@switchboard/contracts/messaging/events';
import type { DeliveredEvent } from '@switchboard/nats';
import type { Log, Platform } from '@switchboard/platform';
import type { Transaction } from '@switchboard/postgres';
import type { ChangeContactsBatch } from '../contact/change-contacts.batch.js';
import type { ContactChange } from '../contact/change-contacts.js';
import type { ErasedNumberRepository } from '../erased-number/erased-number.repository.js';
import { RecordObservedConsumer } from './record-observed.consumer.js';

const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

it('what is observed of an organization whose contacts are locked waits, and nothing of another', async () => {
  const [locked, free] = [newCuid(), newCuid()];
  const changed: string[] = [];
  const { promise: never, resolve: end } = Promise.withResolvers<void>();
  // Longer than the test may take.
  const timer = setTimeout(end, 20_000);
  const change = async ({ organizationId }: ContactChange<unknown>): Promise<boolean> => {
    if (organizationId === locked) await never;
    changed.push(organizationId);
    return true;
  };
  const batch = { change } as Partial<ChangeContactsBatch> as ChangeContactsBatch;
  const none = {} as Partial<ErasedNumberRepository> as ErasedNumberRepository;
  const consumer = new RecordObservedConsumer({ log } as Partial<Platform> as Platform, log, batch, none);
  const events = [observed(locked), observed(free)];
  const waiting = await consumer.prepare(events);
  expect(changed).toEqual([free]);
  expect([...(await consumer.apply({} as Transaction, events, waiting))]).toEqual([events[0]?.envelope.id]);
  clearTimeout(timer);
});

function observed(organizationId: string): DeliveredEvent {
  const contactId = newCuid();
  const envelope = {
    id: newCuid(),
    subject: optOutObserved.subject,
    organizationId,
    aggregateId: contactId,
    sequence: null,
    occurredAt: new Date().toISOString(),
    data: { contactId, messagingChannelId: newCuid(), source: 'UPSTREAM' },
  };
  const context = { getValue: () => undefined } as Partial<DeliveredEvent['context']> as DeliveredEvent['context'];
  return { envelope, context } as Partial<DeliveredEvent> as DeliveredEvent;
}
