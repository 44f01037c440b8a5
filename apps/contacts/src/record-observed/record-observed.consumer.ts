import { Inject, Injectable } from '@nestjs/common';
import { optOutObserved } from '@switchboard/contracts/messaging/events';
import { contactsOptOutsConsumer } from '@switchboard/contracts/consumers';
import { traceparentOf, type DeliveredEvent } from '@switchboard/nats';
import { EventConsumer, eventDataOf, LOG, PLATFORM, type Log, type Platform } from '@switchboard/platform';
import { ChangeContactsBatch } from '../contact/change-contacts.batch.js';
import { recordObserved } from './record-observed.js';

/** Records opt-outs that messaging observed at the upstream. */
@Injectable()
export class RecordObservedConsumer extends EventConsumer<null> {
  constructor(
    @Inject(PLATFORM) platform: Platform,
    @Inject(LOG) private readonly log: Log,
    private readonly batch: ChangeContactsBatch,
  ) {
    super(platform, { consumer: contactsOptOutsConsumer, batchMax: 200 });
  }

  /**
   * The effect is here and not in the transaction of the inbox row: it shares the batches of all other changes, which have
   * transactions of their own, and it is idempotent by the event's id.
   */
  async prepare(events: readonly DeliveredEvent[]): Promise<null> {
    await Promise.all(events.map((event) => this.record(event)));
    return null;
  }

  async apply(): Promise<ReadonlySet<string>> {
    return new Set();
  }

  private async record({ envelope, context }: DeliveredEvent): Promise<void> {
    const found = eventDataOf(envelope, optOutObserved);
    if (!found) return;
    const { id: eventId, occurredAt: at } = envelope;
    const observed = { ...found.data, organizationId: found.organizationId, eventId, at };
    const isKnown = await this.batch.change(recordObserved(observed, traceparentOf(context)));
    if (!isKnown) this.log.warn('observed-event.unknown-contact', { eventId });
  }
}
