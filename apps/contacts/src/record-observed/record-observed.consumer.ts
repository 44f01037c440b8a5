import { Inject, Injectable } from '@nestjs/common';
import { optOutObserved } from '@switchboard/contracts/messaging/events';
import { contactsOptOutsConsumer } from '@switchboard/contracts/consumers';
import { traceparentOf, type DeliveredEvent } from '@switchboard/nats';
import {
  EventConsumer,
  eventDataOf,
  LOG,
  PLATFORM,
  TenantsAtOnce,
  type Log,
  type Platform,
} from '@switchboard/platform';
import type { Transaction } from '@switchboard/postgres';
import { ChangeContactsBatch } from '../contact/change-contacts.batch.js';
import { ErasedNumberRepository } from '../erased-number/erased-number.repository.js';
import { recordObserved, type ObservedOptOut } from './record-observed.js';

/** Records opt-outs that messaging observed at the upstream. */
@Injectable()
export class RecordObservedConsumer extends EventConsumer<ReadonlySet<string>> {
  private readonly organizations = new TenantsAtOnce<unknown>();

  constructor(
    @Inject(PLATFORM) platform: Platform,
    @Inject(LOG) private readonly log: Log,
    private readonly batch: ChangeContactsBatch,
    private readonly erased: ErasedNumberRepository,
  ) {
    super(platform, { consumer: contactsOptOutsConsumer, batchMax: 200 });
  }

  /**
   * The effect is here and not in the transaction of the inbox row: it shares the batches of all other changes, which have
   * transactions of their own, and it is idempotent by the event's id.
   *
   * @returns organizations whose contacts are locked: their events wait
   */
  async prepare(events: readonly DeliveredEvent[]): Promise<ReadonlySet<string>> {
    const groups = Map.groupBy(events, organizationOf);
    const works = [...groups].map(
      ([id, own]) => [id, () => Promise.all(own.map((event) => this.record(event)))] as const,
    );
    return (await this.organizations.each(new Map(works))).waiting;
  }

  async apply(
    _tx: Transaction,
    events: readonly DeliveredEvent[],
    waiting: ReadonlySet<string>,
  ): Promise<ReadonlySet<string>> {
    return new Set(events.filter((event) => waiting.has(organizationOf(event))).map(({ envelope }) => envelope.id));
  }

  private async record({ envelope, context }: DeliveredEvent): Promise<void> {
    const found = eventDataOf(envelope, optOutObserved);
    if (!found) return;
    const { id: eventId, occurredAt: at } = envelope;
    const observed = { ...found.data, organizationId: found.organizationId, eventId, at };
    const traceparent = traceparentOf(context);
    const record = (): Promise<boolean> => this.batch.change(recordObserved(observed, traceparent));
    // Once more, for a record whose contact was merged on and then erased between two reads.
    const isKnown = (await record()) || (await this.recordOfErased(observed, traceparent)) || (await record());
    if (!isKnown) this.log.warn('observed-event.unknown-contact', { eventId });
  }

  /** Its numbers are kept until messaging has confirmed the erasure, which it does not while a send to it is under way. */
  private async recordOfErased(
    observed: ObservedOptOut,
    traceparent: string | null,
    former: string | null = null,
  ): Promise<boolean> {
    const person = await this.erased.findPerson(observed.organizationId, observed.contactId);
    if (!person) return false;
    if (await this.batch.change(recordObserved(observed, traceparent, person))) return true;
    const { mergedInto } = person;
    // The one that goes on was erased since that was read: by then the row says so.
    return mergedInto !== null && mergedInto !== former && this.recordOfErased(observed, traceparent, mergedInto);
  }
}

function organizationOf({ envelope }: DeliveredEvent): string {
  return envelope.organizationId ?? '';
}
