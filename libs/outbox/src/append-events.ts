import type { EventDefinition, EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { activeTraceparent } from '@switchboard/nats';
import { statement, type Transaction, unnestColumns } from '@switchboard/postgres';

/** An event to publish, written by the transaction that makes it true. */
export interface NewEvent<Data> {
  /** A new cuid, of those who have to know it before; drawn here by default. */
  readonly id?: string;
  readonly event: EventDefinition<Data>;
  /** Null only for what is not attributed to an organization yet. */
  readonly organizationId: string | null;
  /** Events of one aggregate are published in the order of their commits. */
  readonly aggregateId: string;
  /** Drawn under the aggregate's lock; null where the aggregate does not count. */
  readonly sequence: number | null;
  readonly occurredAt: Date;
  readonly data: Data;
  /** Where the fact came from, when that is not the active trace (one batch holds the work of many traces). */
  readonly traceparent?: string | null;
}

const insertEvents = statement(
  'outbox.append',
  `INSERT INTO outbox (id, aggregate_id, subject, payload, traceparent)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])`,
);

/**
 * Writes events into the transaction's outbox; the only way to publish. Travels with COMMIT.
 *
 * Order: events of one aggregate must be given in the order in which they happened, under the aggregate's lock.
 */
export function appendEvents(tx: Transaction, events: readonly NewEvent<unknown>[]): void {
  if (events.length === 0) return;
  const active = activeTraceparent();
  const rows = events.map((event) => ({ ...event, envelope: envelopeOf(event) }));
  tx.atCommit(
    insertEvents,
    unnestColumns(rows, [
      ({ envelope }) => envelope.id,
      'aggregateId',
      ({ envelope }) => envelope.subject,
      ({ envelope }) => JSON.stringify(envelope),
      ({ traceparent }) => (traceparent === undefined ? active : traceparent),
    ]),
  );
}

function envelopeOf(event: NewEvent<unknown>): EventEnvelope {
  return {
    id: event.id ?? newCuid(),
    subject: event.event.subject,
    organizationId: event.organizationId,
    aggregateId: event.aggregateId,
    sequence: event.sequence,
    occurredAt: event.occurredAt.toISOString(),
    data: event.data,
  };
}
