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
import { PullConsumer, RpcClient, traceparentOf, type DeliveredEvent, type NatsConnection } from '@switchboard/nats';
import { handleBatch, Relay, type BatchHandler } from '@switchboard/outbox';
import { phoneFromDigits } from '@switchboard/phone';
import { Database, type Transaction } from '@switchboard/postgres';
import { LOG, NATS, type Log } from '@switchboard/service';
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

/** A status that nobody knows may be of a message that another system sent from the same line. */
const STATUS_DELIVERIES_MAX = 10;
const SIGHTINGS_MAX = 200;

/** Applies callbacks of the upstream, item by item, whatever comes twice, late or broken. */
@Injectable()
export class TakeCallbacksConsumer implements BatchHandler<Prepared>, OnApplicationBootstrap, OnModuleDestroy {
  readonly consumer = messagingCallbacksConsumer.name;
  private readonly pull: PullConsumer;

  constructor(
    readonly database: Database,
    @Inject(NATS) connection: NatsConnection,
    @Inject(LOG) private readonly log: Log,
    private readonly relay: Relay,
    private readonly rpc: RpcClient,
    private readonly channels: ChannelRepository,
    private readonly contacts: ContactRepository,
  ) {
    this.pull = new PullConsumer({
      connection,
      consumer: messagingCallbacksConsumer,
      batchMax: SIGHTINGS_MAX,
      handle: async (events) => {
        const dispositions = await handleBatch(this, events);
        this.relay.wake();
        return dispositions;
      },
      onMalformed: (subject, error) => this.log.error('callback.malformed', error, { subject }),
      onError: (error) => this.log.error('callback.batch-failed', error),
    });
  }

  onApplicationBootstrap(): void {
    this.pull.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.pull.stop();
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
    for (const [organizationId, group] of Map.groupBy(inbound, ({ channel }) => channel.organizationId)) {
      const sightings = group.map(({ item }) => ({
        phone: phoneOf(item),
        profileName: item.profileName,
        messagingId: item.message.from,
      }));
      const principal = systemPrincipal(organizationId, 'callbacks');
      const { contacts } = await this.rpc.call(resolveContactsRpc, principal, { sightings });
      await this.contacts.project(contacts.map((contact) => ({ organizationId, contact })));
      group.forEach(({ eventId }, index) => {
        const contact = contacts[index];
        if (contact) senders.set(eventId, contact);
      });
    }
    return { channels, senders };
  }

  async apply(tx: Transaction, events: readonly DeliveredEvent[], prepared: Prepared): Promise<ReadonlySet<string>> {
    const statuses: StatusCallback[] = [];
    const inbound: InboundCallback[] = [];
    for (const { envelope, context } of events) {
      const traceparent = traceparentOf(context);
      const [status, message] = [statusOf(envelope), messageOf(envelope)];
      const channel = prepared.channels.get((status ?? message)?.phoneNumberId ?? '');
      if (!channel) continue;
      const contact = prepared.senders.get(envelope.id);
      if (status) statuses.push({ eventId: envelope.id, traceparent, channel, callback: status });
      else if (message && contact) inbound.push({ traceparent, channel, contact, callback: message });
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

  onDead({ envelope, deliveries }: DeliveredEvent, error: unknown): void {
    this.log.error('callback.dead-letter', error, { eventId: envelope.id, subject: envelope.subject, deliveries });
  }
}

function statusOf(envelope: EventEnvelope): CallbackItem<UpstreamStatusItem> | null {
  return dataOf(callbackStatus, envelope);
}

function messageOf(envelope: EventEnvelope): CallbackItem<UpstreamMessageItem> | null {
  return dataOf(callbackMessage, envelope);
}

/** @throws Error for a sender without a phone: the event ends as a dead letter, its neighbours go on */
function phoneOf({ message }: UpstreamMessageItem): string {
  const sender = phoneFromDigits(message.from);
  if (!sender) throw new Error('the sender has no phone number');
  return sender.phone;
}

/** The event's data when it is of that kind. */
function dataOf<Data>(definition: EventDefinition<Data>, envelope: EventEnvelope): Data | null {
  // The subject decides the shape: both were written from the same definition.
  return envelope.subject === definition.subject ? (envelope.data as Data) : null;
}
