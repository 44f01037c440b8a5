import type { DeliveredEvent } from '@switchboard/nats';
import type { Transaction } from '@switchboard/postgres';
import { EventConsumer } from './event-consumer.js';

const NONE_WAITS: ReadonlySet<string> = new Set();

/** A consumer that asks no other service before its transaction, and of whose events none ever waits. */
export abstract class PlainConsumer extends EventConsumer<null> {
  async prepare(): Promise<null> {
    return null;
  }

  async apply(tx: Transaction, events: readonly DeliveredEvent[]): Promise<ReadonlySet<string>> {
    await this.take(tx, events);
    return NONE_WAITS;
  }

  /** The effect, in the transaction of the inbox rows; see `BatchHandler`. */
  protected abstract take(tx: Transaction, events: readonly DeliveredEvent[]): Promise<void>;
}
