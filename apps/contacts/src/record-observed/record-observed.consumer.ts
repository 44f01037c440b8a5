import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { EventDataOf, EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { optOutObserved } from '@switchboard/contracts/messaging/events';
import { contactsOptOutsConsumer } from '@switchboard/contracts/topology';
import { traceparentOf, type DeliveredEvent, type NatsConnection } from '@switchboard/nats';
import { Database } from '@switchboard/postgres';
import { EventConsumer, LOG, NATS, type EventHandler, type Log } from '@switchboard/platform';
import { ChangeContactsBatch } from '../contact/change-contacts.batch.js';
import { recordObserved, type ObservedOptOut } from './record-observed.js';

/** Records opt-outs that messaging observed at the upstream. */
@Injectable()
export class RecordObservedConsumer implements EventHandler<null>, OnApplicationBootstrap, OnModuleDestroy {
  private readonly events: EventConsumer<null>;

  constructor(
    database: Database,
    @Inject(NATS) connection: NatsConnection,
    @Inject(LOG) private readonly log: Log,
    private readonly batch: ChangeContactsBatch,
  ) {
    const consumer = contactsOptOutsConsumer;
    this.events = new EventConsumer({ database, connection, log, consumer, handler: this, batchMax: 200 });
  }

  onApplicationBootstrap(): void {
    this.events.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.events.stop();
  }

  /**
   * The effect is here and not beside the inbox row: it shares the batches of all other changes, which have transactions
   * of their own, and it is idempotent by the event's id.
   */
  async prepare(events: readonly DeliveredEvent[]): Promise<null> {
    await Promise.all(events.map((event) => this.record(event)));
    return null;
  }

  async apply(): Promise<ReadonlySet<string>> {
    return new Set();
  }

  private async record({ envelope, context }: DeliveredEvent): Promise<void> {
    const observed = observedOf(envelope);
    if (!observed) return;
    const isKnown = await this.batch.change(recordObserved(observed, traceparentOf(context)));
    if (!isKnown) this.log.warn('observed-event.unknown-contact', { eventId: envelope.id });
  }
}

function observedOf(envelope: EventEnvelope): ObservedOptOut | null {
  const { id: eventId, subject, organizationId, occurredAt: at } = envelope;
  if (subject !== optOutObserved.subject || organizationId === null) return null;
  // The subject decides the shape: both were written from the same definition.
  return { ...(envelope.data as EventDataOf<typeof optOutObserved>), organizationId, eventId, at };
}
