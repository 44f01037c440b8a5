import type { ConsumerTopology } from '@switchboard/contracts/consumers';
import { contactErased } from '@switchboard/contracts/contacts/events';
import type { ErasedNumbers } from '@switchboard/contracts/contacts/rpc';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { DeliveredEvent } from '@switchboard/nats';
import type { Transaction } from '@switchboard/postgres';
import type { WakeSignal } from '@switchboard/timing';
import { EventConsumer, type ConsumerPlatform } from '../event-consumer.js';
import { eventDataOf } from '../event-data.js';
import type { ErasureBook } from './erasure-book.js';
import { noteErasures } from './erasure-ledger.js';

/** A contact that was erased, as its event says it. */
export interface ErasedContact {
  readonly organizationId: string;
  readonly contactId: string;
  readonly erasedAt: Date;
  /** Above every version that the contact ever had. */
  readonly version: number;
}

/** The same with what its rows are found by. */
export type FoundContact = ErasedContact & ErasedNumbers;

/** What the consumer needs apart from its platform. */
export interface ErasuresConsumerParts {
  readonly consumer: ConsumerTopology;
  readonly book: ErasureBook;
  readonly signal: WakeSignal;
}

const BATCH_MAX = 50;
const NONE_WAITS: ReadonlySet<string> = new Set();
const NO_NUMBERS: ErasedNumbers = { phoneForms: [], upstreamUserIds: [] };

type Numbers = ReadonlyMap<string, ErasedNumbers>;

/** Notes contacts that were erased, in the transaction of the inbox rows; `ErasureWorker` overwrites what is kept of them. */
export class ErasuresConsumer extends EventConsumer<Numbers> {
  readonly #book: ErasureBook;

  constructor(platform: ConsumerPlatform, { consumer, book, signal }: ErasuresConsumerParts) {
    super(platform, { consumer, batchMax: BATCH_MAX, onBatch: () => signal.wake() });
    this.#book = book;
  }

  async prepare(events: readonly DeliveredEvent[]): Promise<Numbers> {
    const erased = erasedContactsOf(events);
    const found = erased.map(async (one) => [one.contactId, await this.#book.numbersOf(one)] as const);
    return new Map(await Promise.all(found));
  }

  async apply(tx: Transaction, events: readonly DeliveredEvent[], numbers: Numbers): Promise<ReadonlySet<string>> {
    const erased = erasedContactsOf(events);
    if (erased.length === 0) return NONE_WAITS;
    await noteErasures(tx, erased);
    await this.onErased(
      tx,
      erased.map((one) => ({ ...one, ...(numbers.get(one.contactId) ?? NO_NUMBERS) })),
    );
    return NONE_WAITS;
  }

  /** What must be true as soon as the erasure is noted, in the same transaction. */
  protected async onErased(_tx: Transaction, _erased: readonly FoundContact[]): Promise<void> {}
}

/** Each once, however often it is announced. */
function erasedContactsOf(events: readonly DeliveredEvent[]): readonly ErasedContact[] {
  const erased = events.flatMap(({ envelope }) => erasedContactOf(envelope) ?? []);
  return [...new Map(erased.map((one) => [`${one.organizationId} ${one.contactId}`, one])).values()];
}

function erasedContactOf(envelope: EventEnvelope): ErasedContact | null {
  const event = eventDataOf(envelope, contactErased);
  if (!event) return null;
  const { contactId } = event.data;
  const version = envelope.sequence ?? Number.MAX_SAFE_INTEGER;
  return { organizationId: event.organizationId, contactId, erasedAt: new Date(envelope.occurredAt), version };
}
