import { jetstream, type JetStreamClient } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { contextOfTraceparent } from './traceparent.js';
import { traceHeaders } from './trace-headers.js';

/** An event as the outbox holds it. */
export interface StoredEvent {
  /** Becomes `Nats-Msg-Id`: within the stream's window a repeated publication is dropped by the broker. */
  readonly id: string;
  readonly subject: string;
  /** The envelope as JSON text. */
  readonly payload: string;
  /** W3C trace context of the transaction that wrote it, or null. */
  readonly traceparent: string | null;
}

/** Publishes to JetStream; resolves when the stream has the event. */
export class EventPublisher {
  private readonly client: JetStreamClient;

  constructor(connection: NatsConnection) {
    this.client = jetstream(connection, { checkAPI: false, timeout: 5_000 });
  }

  /** @throws when no stream took it within 5 s; publishing again with the same id is safe */
  async publish(event: StoredEvent): Promise<void> {
    const headers = traceHeaders(contextOfTraceparent(event.traceparent));
    await this.client.publish(event.subject, event.payload, { msgID: event.id, headers });
  }
}
