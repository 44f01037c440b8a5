import { ROOT_CONTEXT } from '@opentelemetry/api';
import { messagingCallbacksConsumer } from '@switchboard/contracts/consumers';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { EventDefinition } from '@switchboard/contracts/grammar/define-event';
import type { DeliveredEvent, Disposition, NatsConnection } from '@switchboard/nats';
import { handleBatch } from '@switchboard/outbox';
import { createLog, type Platform } from '@switchboard/platform';
import { ChannelRepository } from '../src/channel/channel.repository.js';
import { WaitingSignal } from '../src/callback/waiting-signal.js';
import { ResolveContactsClient } from '../src/take-callbacks/resolve-contacts.client.js';
import { TakeCallbacksConsumer } from '../src/take-callbacks/take-callbacks.consumer.js';
import { contactOf, type MessagingStore, type Sender } from './messaging-store.js';
import { silentRelay } from './silent-relay.js';

/** Long before any test: the upstream's seconds of what is as old as can be. */
const LONG_AGO = new Date(1_749_416_383_000);

/** As the consumer handles a batch of callbacks. @param own whose first contact everybody in them is */
export async function handleCallbacks(
  { database }: MessagingStore,
  own: Sender,
  events: readonly DeliveredEvent[],
  write: (line: string) => void = () => undefined,
): Promise<Disposition[]> {
  const log = createLog('messaging', { write });
  // It pulls nothing before it is started.
  const platform = { database, nats: {} as NatsConnection, log } as Platform;
  const [contact] = own.contacts;
  const known = contactOf(own.organizationId, contact?.id ?? '', contact?.phone ?? '').contact;
  const call = async (
    _rpc: unknown,
    _principal: unknown,
    { sightings }: { readonly sightings: readonly unknown[] },
  ) => ({
    contacts: sightings.map(() => known),
  });
  const people = new ResolveContactsClient({ call: call as never });
  const channels = new ChannelRepository(database);
  const topology = messagingCallbacksConsumer;
  const signal = new WaitingSignal();
  const consumer = new TakeCallbacksConsumer(topology, platform, log, silentRelay, channels, people, signal);
  const handler = {
    database,
    consumer: topology.name,
    prepare: consumer.prepare.bind(consumer),
    apply: consumer.apply.bind(consumer),
    onDead: () => undefined,
    onLinesAway: () => undefined,
  };
  return handleBatch(handler, events);
}

/** An item of a callback as the gateway hands it on. @param at by the upstream */
export function deliveredCallback(event: EventDefinition, data: unknown, at: Date = LONG_AGO): DeliveredEvent {
  const occurredAt = at.toISOString();
  const envelope = { id: newCuid(), subject: event.subject, organizationId: null, aggregateId: 'a', sequence: null };
  return { envelope: { ...envelope, occurredAt, data }, deliveries: 1, context: ROOT_CONTEXT };
}
