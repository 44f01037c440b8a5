import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import type { EventDataOf, EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { messagingContactsConsumer } from '@switchboard/contracts/topology';
import type { DeliveredEvent, NatsConnection } from '@switchboard/nats';
import { Database, type Transaction } from '@switchboard/postgres';
import { EventConsumer, LOG, NATS, type EventHandler, type Log } from '@switchboard/platform';
import { projectContacts, type ProjectedContact } from '../contact/contact.repository.js';

/** Keeps messaging's projection of contacts up to date, their opt-outs too; sends read it as it is (the fence does not). */
@Injectable()
export class ProjectContactsConsumer implements EventHandler<null>, OnApplicationBootstrap, OnModuleDestroy {
  private readonly events: EventConsumer<null>;

  constructor(database: Database, @Inject(NATS) connection: NatsConnection, @Inject(LOG) log: Log) {
    const consumer = messagingContactsConsumer;
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
    await projectContacts(
      tx,
      events.flatMap(({ envelope }) => contactOf(envelope)),
      'heard',
    );
    return new Set();
  }
}

function contactOf(envelope: EventEnvelope): ProjectedContact[] {
  const { subject, organizationId } = envelope;
  if (subject !== contactChanged.subject || organizationId === null) return [];
  const { contact, observed = [] } = envelope.data as EventDataOf<typeof contactChanged>;
  return [{ organizationId, contact, observed }];
}
