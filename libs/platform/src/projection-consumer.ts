import type { EventDefinition } from '@switchboard/contracts/grammar/define-event';
import type { DeliveredEvent } from '@switchboard/nats';
import type { Transaction } from '@switchboard/postgres';
import type { ConsumerPlatform, EventConsumerSpec } from './event-consumer.js';
import { eventDataOf } from './event-data.js';
import { PlainConsumer } from './plain-consumer.js';

/** An event that a projection takes. */
export interface ProjectedEvent<Data> {
  readonly eventId: string;
  readonly organizationId: string;
  readonly data: Data;
}

/** A consumer that keeps a copy of another service's facts, from one kind of event. */
export abstract class ProjectionConsumer<Data> extends PlainConsumer {
  readonly #definition: EventDefinition<Data>;

  constructor(platform: ConsumerPlatform, definition: EventDefinition<Data>, spec: EventConsumerSpec) {
    super(platform, spec);
    this.#definition = definition;
  }

  protected async take(tx: Transaction, events: readonly DeliveredEvent[]): Promise<void> {
    const projected = events.flatMap(({ envelope }) => {
      const found = eventDataOf(envelope, this.#definition);
      return found ? [{ ...found, eventId: envelope.id }] : [];
    });
    await this.project(tx, projected);
  }

  /** Stores what the events say. Events may come twice and out of order: only a newer one may change a row. */
  protected abstract project(tx: Transaction, events: readonly ProjectedEvent<Data>[]): Promise<void>;
}
