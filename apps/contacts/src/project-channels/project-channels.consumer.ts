import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { EventDataOf, EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { channelChanged } from '@switchboard/contracts/messaging/events';
import { contactsChannelsConsumer } from '@switchboard/contracts/topology';
import type { DeliveredEvent, NatsConnection } from '@switchboard/nats';
import { Database, type Transaction } from '@switchboard/postgres';
import { EventConsumer, LOG, NATS, type EventHandler, type Log } from '@switchboard/platform';
import { ChannelRepository, type ProjectedChannel } from '../channel/channel.repository.js';

/** Keeps the contacts service's projection of channels up to date. */
@Injectable()
export class ProjectChannelsConsumer implements EventHandler<null>, OnApplicationBootstrap, OnModuleDestroy {
  private readonly events: EventConsumer<null>;

  constructor(
    database: Database,
    @Inject(NATS) connection: NatsConnection,
    @Inject(LOG) log: Log,
    private readonly channels: ChannelRepository,
  ) {
    const consumer = contactsChannelsConsumer;
    this.events = new EventConsumer({ database, connection, log, consumer, handler: this, batchMax: 200 });
  }

  onApplicationBootstrap(): void {
    this.events.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.events.stop();
  }

  async prepare(): Promise<null> {
    return null;
  }

  async apply(tx: Transaction, events: readonly DeliveredEvent[]): Promise<ReadonlySet<string>> {
    await this.channels.project(
      events.flatMap(({ envelope }) => channelOf(envelope)),
      tx,
    );
    return new Set();
  }
}

function channelOf(envelope: EventEnvelope): ProjectedChannel[] {
  const { id: toldBy, subject, organizationId } = envelope;
  if (subject !== channelChanged.subject || organizationId === null) return [];
  // The subject decides the shape: both were written from the same definition.
  const { channel } = envelope.data as EventDataOf<typeof channelChanged>;
  const { id, isDefault, defaultRegion } = channel;
  return [{ organizationId, id, isDefault, defaultRegion, toldBy }];
}
