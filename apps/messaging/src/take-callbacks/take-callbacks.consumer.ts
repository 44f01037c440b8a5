import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { resolveContactsRpc, type ContactFacts } from '@switchboard/contracts/contacts/rpc';
import {
  callbackMessage,
  callbackStatus,
  type CallbackItem,
  type UpstreamMessageItem,
  type UpstreamStatusItem,
} from '@switchboard/contracts/gateway/events';
import type { EventDefinition, EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { systemPrincipal } from '@switchboard/contracts/grammar/principal';
import { messagingCallbacksConsumer } from '@switchboard/contracts/topology';
import { RpcClient, traceparentOf, type DeliveredEvent, type NatsConnection } from '@switchboard/nats';
import { buryEvent, Relay } from '@switchboard/outbox';
import { phoneFromDigits } from '@switchboard/phone';
import { Database, type Transaction } from '@switchboard/postgres';
import { EventConsumer, LOG, NATS, type EventHandler, type Log } from '@switchboard/service';
import type { Channel } from '../channel/channel.entity.js';
import { ChannelRepository } from '../channel/channel.repository.js';
import { ContactRepository } from '../contact/contact.repository.js';
import { takeInbound, type InboundCallback } from './take-inbound.js';
import { takeStatuses, type StatusCallback } from './take-statuses.js';

/** What a batch needs from elsewhere before its transaction. */
interface Prepared {
  readonly channels: ReadonlyMap<string, Channel>;
  /** By event id: who sent an inbound message. */
  readonly senders: ReadonlyMap<string, ContactFacts>;
}

/**
 * A status that nobody knows is of a message that another system sent from the same line: ours are stored before the
 * upstream hears of them, and carry our reference. Waiting long for such would fill the consumer for everybody.
 */
const STATUS_DELIVERIES_MAX = 3;
const SIGHTINGS_MAX = 200;

/** Applies callbacks of the upstream, item by item, whatever comes twice, late or broken. */
@Injectable()
export class TakeCallbacksConsumer implements EventHandler<Prepared>, OnApplicationBootstrap, OnModuleDestroy {
  private readonly events: EventConsumer<Prepared>;

  constructor(
    database: Database,
    @Inject(NATS) connection: NatsConnection,
    @Inject(LOG) private readonly log: Log,
    relay: Relay,
    private readonly rpc: RpcClient,
    private readonly channels: ChannelRepository,
    private readonly contacts: ContactRepository,
  ) {
    this.events = new EventConsumer({
      database,
      connection,
      log,
      consumer: messagingCallbacksConsumer,
      handler: this,
      batchMax: SIGHTINGS_MAX,
      // Each kind locks its conversations in order; both in one transaction would not.
      groupOf: ({ subject }) => subject,
      onBatch: () => relay.wake(),
    });
  }

  onApplicationBootstrap(): void {
    this.events.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.events.stop();
  }

  async prepare(events: readonly DeliveredEvent[]): Promise<Prepared> {
    const lines = events.flatMap(({ envelope }) => statusOf(envelope) ?? messageOf(envelope) ?? []);
    const channels = await this.channels.byPhoneNumberIds(lines.map(({ phoneNumberId }) => phoneNumberId));
    const inbound = events.flatMap(({ envelope }) => {
      const callback = messageOf(envelope);
      const channel = callback && channels.get(callback.phoneNumberId);
      return callback && channel ? [{ eventId: envelope.id, channel, item: callback.item }] : [];
    });
    const senders = new Map<string, ContactFacts>();
    const groups = Map.groupBy(inbound, ({ channel }) => channel.organizationId);
    await Promise.all([...groups].map(([organizationId, group]) => this.learnSenders(organizationId, group, senders)));
    return { channels, senders };
  }

  private async learnSenders(
    organizationId: string,
    group: readonly { readonly eventId: string; readonly item: UpstreamMessageItem }[],
    senders: Map<string, ContactFacts>,
  ): Promise<void> {
    const sighted = group.flatMap(({ eventId, item }) => {
      const sender = phoneFromDigits(item.message.from);
      const sighting = { profileName: item.profileName, messagingId: item.message.from };
      return sender ? [{ eventId, sighting: { ...sighting, phone: sender.phone } }] : [];
    });
    if (sighted.length === 0) return;
    const principal = systemPrincipal(organizationId, 'callbacks');
    const sightings = sighted.map(({ sighting }) => sighting);
    const { contacts } = await this.rpc.call(resolveContactsRpc, principal, { sightings });
    await this.contacts.project(contacts.map((contact) => ({ organizationId, contact })));
    sighted.forEach(({ eventId }, index) => {
      const contact = contacts[index];
      if (contact) senders.set(eventId, contact);
    });
  }

  async apply(tx: Transaction, events: readonly DeliveredEvent[], prepared: Prepared): Promise<ReadonlySet<string>> {
    const statuses: StatusCallback[] = [];
    const inbound: InboundCallback[] = [];
    for (const event of events) {
      const { envelope, context } = event;
      const traceparent = traceparentOf(context);
      const [status, message] = [statusOf(envelope), messageOf(envelope)];
      const channel = prepared.channels.get((status ?? message)?.phoneNumberId ?? '');
      if (!channel) continue;
      const contact = prepared.senders.get(envelope.id);
      if (status) statuses.push({ eventId: envelope.id, traceparent, channel, callback: status });
      else if (message && contact) inbound.push({ traceparent, channel, contact, callback: message });
      else if (message) await this.keepUnknownSender(tx, event);
    }
    await takeInbound(tx, inbound);
    const waiting = await takeStatuses(tx, statuses);
    const strangers = events.filter(
      ({ envelope, deliveries }) => waiting.has(envelope.id) && deliveries >= STATUS_DELIVERIES_MAX,
    );
    for (const { envelope } of strangers) {
      waiting.delete(envelope.id);
      this.log.warn('callback.unknown-message', { eventId: envelope.id });
    }
    return waiting;
  }

  /** A sender with an id of the upstream's alone: contacts have no such yet, so the message is kept to be driven again. */
  private async keepUnknownSender(tx: Transaction, event: DeliveredEvent): Promise<void> {
    await buryEvent(tx, messagingCallbacksConsumer.name, event, 'the sender has no phone number');
    this.log.warn('callback.sender-without-phone', { eventId: event.envelope.id });
  }
}

function statusOf(envelope: EventEnvelope): CallbackItem<UpstreamStatusItem> | null {
  return dataOf(callbackStatus, envelope);
}

function messageOf(envelope: EventEnvelope): CallbackItem<UpstreamMessageItem> | null {
  return dataOf(callbackMessage, envelope);
}

/** The event's data when it is of that kind. */
function dataOf<Data>(definition: EventDefinition<Data>, envelope: EventEnvelope): Data | null {
  // The subject decides the shape: both were written from the same definition.
  return envelope.subject === definition.subject ? (envelope.data as Data) : null;
}
