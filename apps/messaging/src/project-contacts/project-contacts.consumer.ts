import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import type { EventDataOf, EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { messagingContactsConsumer } from '@switchboard/contracts/topology';
import { PullConsumer, type DeliveredEvent, type NatsConnection } from '@switchboard/nats';
import { handleBatch, type BatchHandler } from '@switchboard/outbox';
import { Database, type Transaction } from '@switchboard/postgres';
import { LOG, NATS, type Log } from '@switchboard/service';
import { ContactRepository, type ProjectedContact } from '../contact/contact.repository.js';

/** Keeps messaging's projection of contacts up to date. */
@Injectable()
export class ProjectContactsConsumer implements BatchHandler<null>, OnApplicationBootstrap, OnModuleDestroy {
  readonly consumer = messagingContactsConsumer.name;
  private readonly pull: PullConsumer;

  constructor(
    readonly database: Database,
    @Inject(NATS) connection: NatsConnection,
    @Inject(LOG) private readonly log: Log,
    private readonly contacts: ContactRepository,
  ) {
    this.pull = new PullConsumer({
      connection,
      consumer: messagingContactsConsumer,
      batchMax: 200,
      handle: (events) => handleBatch(this, events),
      onMalformed: (subject, error) => this.log.error('contact-event.malformed', error, { subject }),
      onError: (error) => this.log.error('contact-event.batch-failed', error),
    });
  }

  onApplicationBootstrap(): void {
    this.pull.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.pull.stop();
  }

  async prepare(): Promise<null> {
    return null;
  }

  async apply(tx: Transaction, events: readonly DeliveredEvent[]): Promise<ReadonlySet<string>> {
    await this.contacts.project(
      events.flatMap(({ envelope }) => contactOf(envelope)),
      tx,
    );
    return new Set();
  }

  onDead({ envelope, deliveries }: DeliveredEvent, error: unknown): void {
    this.log.error('contact-event.dead-letter', error, { eventId: envelope.id, deliveries });
  }
}

function contactOf(envelope: EventEnvelope): ProjectedContact[] {
  const { subject, organizationId } = envelope;
  if (subject !== contactChanged.subject || organizationId === null) return [];
  const { contact } = envelope.data as EventDataOf<typeof contactChanged>;
  return [{ organizationId, contact }];
}
