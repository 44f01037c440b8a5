import { beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { messagingInboundConsumer } from '@switchboard/contracts/consumers';
import type { ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { callbackMessage } from '@switchboard/contracts/gateway/events';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { DeliveredEvent, NatsConnection } from '@switchboard/nats';
import { handleBatch } from '@switchboard/outbox';
import { createLog, type Platform } from '@switchboard/platform';
import { testServers } from '@switchboard/testing';
import { ChannelRepository } from '../src/channel/channel.repository.js';
import { WaitingSignal } from '../src/callback/waiting-signal.js';
import { ResolveContactsClient } from '../src/take-callbacks/resolve-contacts.client.js';
import { TakeCallbacksConsumer } from '../src/take-callbacks/take-callbacks.consumer.js';
import { contactOf, MessagingStore, type Sender } from './messaging-store.js';
import { silentRelay } from './silent-relay.js';

const servers = testServers();

describe('an inbound message that comes again', () => {
  let store: MessagingStore;
  beforeAll(async () => void (store = await MessagingStore.open(servers)));

  /** As the consumer handles a batch. @returns the sightings of which contacts were asked */
  async function handle(sender: Sender, ...messages: readonly DeliveredEvent[]): Promise<readonly ContactSighting[]> {
    const asked: ContactSighting[] = [];
    const call = async (
      _rpc: unknown,
      _principal: unknown,
      request: { readonly sightings: readonly ContactSighting[] },
    ) => {
      asked.push(...request.sightings);
      const { id = '', phone = '' } = sender.contacts[0] ?? {};
      return { contacts: request.sightings.map(() => contactOf(sender.organizationId, id, phone).contact) };
    };
    const log = createLog('messaging', { write: () => undefined });
    // It pulls nothing before it is started.
    const platform = { database: store.database, nats: {} as NatsConnection, log } as Platform;
    const consumer = new TakeCallbacksConsumer(
      messagingInboundConsumer,
      platform,
      log,
      silentRelay,
      new ChannelRepository(store.database),
      new ResolveContactsClient({ call: call as never }),
      new WaitingSignal(),
    );
    const handler = {
      database: store.database,
      consumer: messagingInboundConsumer.name,
      prepare: consumer.prepare.bind(consumer),
      apply: consumer.apply.bind(consumer),
      onDead: () => undefined,
      onLinesAway: () => undefined,
    };
    expect(await handleBatch(handler, messages)).toEqual(messages.map(() => ({ ack: true })));
    return asked;
  }

  it('is not asked about at contacts, where it would state again what it says or make an erased sender anew', async () => {
    const [own, other] = [await store.sender(), await store.sender()];
    const id = `wamid.${newCuid()}`;
    expect(await handle(own, textOf(own, id, 'STOP'))).toMatchObject([{ statement: { id } }]);
    const fresh = `wamid.${newCuid()}`;
    const asked = await handle(own, textOf(own, id, 'STOP'), textOf(own, fresh, 'START'), textOf(own, id, 'STOP'));
    expect(asked).toMatchObject([{ statement: { id: fresh } }]);
    expect(await handle(own, textOf(own, id, 'STOP'))).toEqual([]);
    expect(await handle(other, textOf(other, id, 'STOP'))).toHaveLength(1);
    const received = (await store.events(own.organizationId)).filter(({ subject }) => subject.includes('received'));
    expect(received).toHaveLength(2);
  });
});

function textOf(sender: Sender, id: string, body: string): DeliveredEvent {
  const from = sender.contacts[0]?.phone.slice(1) ?? '';
  const message = { id, from, timestamp: '1749416383', type: 'text', text: { body } };
  const data = { phoneNumberId: sender.phoneNumberId, item: { message, profileName: null } };
  const envelope = { id: newCuid(), subject: callbackMessage.subject, organizationId: null, aggregateId: 'a' };
  const occurredAt = new Date(1_749_416_383_000).toISOString();
  return { envelope: { ...envelope, sequence: null, occurredAt, data }, deliveries: 1, context: ROOT_CONTEXT };
}
