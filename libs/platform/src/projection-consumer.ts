import type { EventDefinition } from '@switchboard/contracts/grammar/define-event';
import type { DeliveredEvent } from '@switchboard/nats';
import type { Transaction } from '@switchboard/postgres';
import { EventConsumer, type ConsumerPlatform, type EventConsumerSpec } from './event-consumer.js';
import { eventDataOf } from './event-data.js';

/** An event that a projection takes. */
export interface ProjectedEvent<Data> {
  readonly eventId: string;
  readonly organizationId: string;
  readonly data: Data;
}

const NONE_WAITS: ReadonlySet<string> = new Set();

/** A consumer that keeps a copy of another service's facts, from one kind of event; asks nothing and never waits. */
export abstract class ProjectionConsumer<Data> extends EventConsumer<null> {
  readonly #definition: EventDefinition<Data>;

  constructor(platform: ConsumerPlatform, definition: EventDefinition<Data>, spec: EventConsumerSpec) {
    super(platform, spec);
    this.#definition = definition;
  }

  async prepare(): Promise<null> {
    return null;
  }

  async apply(tx: Transaction, events: readonly DeliveredEvent[]): Promise<ReadonlySet<string>> {
    const projected = events.flatMap(({ envelope }) => {
      const found = eventDataOf(envelope, this.#definition);
      return found ? [{ ...found, eventId: envelope.id }] : [];
    });
    await this.project(tx, projected);
    return NONE_WAITS;
  }

  /** Stores what the events say. Events may come twice and out of order: only a newer one may change a row. */
  protected abstract project(tx: Transaction, events: readonly ProjectedEvent<Data>[]): Promise<void>;
}
