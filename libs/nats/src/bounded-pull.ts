import { jetstream, JetStreamError, type JetStreamClient } from '@nats-io/jetstream';
import type { NatsConnection, Payload, PublishOptions } from '@nats-io/transport-node';

/** Bytes of one pull at most. Several times what one event may have (`max_payload`): an event above it would never come. */
export const PULL_BYTES_MAX = 4 * 1024 * 1024;
const NEXT = '$JS.API.CONSUMER.MSG.NEXT.';
/**
 * How the broker ends a pull with a limit of bytes: its number of messages is reached, or the next one does not fit into what
 * is left. Source: NATS ADR-13, "Pull Subscribe internals".
 */
const ENDS: ReadonlySet<string> = new Set(['batch completed', 'message size exceeds maxbytes']);

/**
 * A client of JetStream whose pulls end at `PULL_BYTES_MAX` too: 1,000 events may have 1 MiB each.
 *
 * The client's own `fetch` refuses a limit of bytes in addition to one of messages, the broker takes both; so the limit is
 * added to the request on its way.
 */
export function boundedPulls(connection: NatsConnection): JetStreamClient {
  const bounded = Object.create(connection) as NatsConnection;
  bounded.publish = (subject: string, payload?: Payload, options?: PublishOptions) => {
    const isPull = subject.startsWith(NEXT) && typeof payload === 'string';
    connection.publish(subject, isPull ? withBytes(payload) : payload, options);
  };
  return jetstream(bounded, { checkAPI: false });
}

/** Whether a pull ended by one of its limits: what it has delivered is whole, and the next pull goes on at once. */
export function isLimitReached(error: unknown): boolean {
  return error instanceof JetStreamError && ENDS.has(error.message);
}

function withBytes(request: string): string {
  return JSON.stringify({ ...(JSON.parse(request) as object), max_bytes: PULL_BYTES_MAX });
}
