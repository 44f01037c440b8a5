import { ROOT_CONTEXT } from '@opentelemetry/api';
import { contactChanged } from '@switchboard/contracts/contacts/events';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { messagingContactsConsumer } from '@switchboard/contracts/consumers';
import {
  PullConsumer,
  type DeliveredEvent,
  type EventPublisher,
  type NatsConnection,
  type PullConsumerOptions,
} from '@switchboard/nats';
import {
  appendEvents,
  handleBatch,
  incarnationTable,
  outboxTables,
  pendingTable,
  RecentEpoch,
  type BatchHandler,
  type EventBroker,
  type NewEvent,
} from '@switchboard/outbox';
import { createLog, RedriveLook, type ConsumerPlatform } from '@switchboard/platform';
import { partitionFunctions, statement, type Database, type Transaction } from '@switchboard/postgres';

/** A service's outbox, inbox, dead letters and incarnation, and an effect that refuses sequence 13. */
export class Outbox1764000000000 {
  readonly name = 'Outbox1764000000000';

  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query(partitionFunctions);
    await runner.query(outboxTables);
    await runner.query(pendingTable);
    await runner.query(incarnationTable);
    await runner.query(`
      CREATE TABLE contacts.aggregate (id text PRIMARY KEY, sequence integer NOT NULL);
      CREATE TABLE contacts.applied (event_id text NOT NULL, sequence integer NOT NULL CHECK (sequence <> 13));
    `);
  }

  async down(): Promise<void> {}
}

/** The next number of an aggregate, under its row's lock. */
export const nextSequence = statement<{ sequence: number }>(
  't.next-sequence',
  `INSERT INTO aggregate (id, sequence) VALUES ($1, 1)
   ON CONFLICT (id) DO UPDATE SET sequence = aggregate.sequence + 1 RETURNING sequence`,
);
/** The effect: not idempotent, so that an event applied twice leaves two rows. */
export const insertApplied = statement(
  't.insert-applied',
  'INSERT INTO applied (event_id, sequence) SELECT * FROM unnest($1::text[], $2::int[])',
);
/** Effects in the order of their sequence. */
export const applied = statement<{ eventId: string }>(
  't.applied',
  'SELECT event_id AS "eventId" FROM applied ORDER BY sequence',
);
/** Events that wait for the relay. */
export const unpublished = statement<{ n: number }>('t.unpublished', 'SELECT count(*)::int AS n FROM outbox_pending');
/** All dead letters. */
export const deadLetters = statement<{ eventId: string; consumer: string; deliveries: number; error: string }>(
  't.dead-letters',
  'SELECT event_id AS "eventId", consumer, deliveries, error FROM dead_letter ORDER BY event_id, consumer',
);
/** Events that failed by themselves. */
export const eventFailures = statement<{ eventId: string; consumer: string; failures: number }>(
  't.event-failures',
  'SELECT event_id AS "eventId", consumer, failures FROM event_failure ORDER BY event_id, consumer',
);
/** What `npm run admin -- dead-letters redrive --all` does. */
export const markAllLetters = statement('t.mark-letters', 'UPDATE dead_letter SET redrive_requested_at = now()');

/** An event to append. */
export function eventOf(aggregateId: string, sequence: number): NewEvent<unknown> {
  const data = { contact: { id: aggregateId } };
  return { event: contactChanged, organizationId: 'corg', aggregateId, sequence, occurredAt: new Date(0), data };
}

/** An event as a consumer gets it. */
export function delivered(
  sequence: number,
  deliveries = 1,
  id: string = newCuid(),
  organizationId = 'corg',
): DeliveredEvent {
  const { subject } = contactChanged;
  const envelope = { id, subject, organizationId, aggregateId: 'agg', sequence, occurredAt: '', data: null };
  return { envelope, deliveries, context: ROOT_CONTEXT };
}

/** Writes the rows now instead of with COMMIT, so that a slow transaction holds an early position. */
export function appendNow(tx: Transaction, events: readonly NewEvent<unknown>[]): void {
  const statements: Promise<unknown>[] = [];
  appendEvents({ ...tx, atCommit: (own, values) => void statements.push(tx.query(own, values)) }, events);
  for (const sent of statements) sent.catch(() => undefined);
}

/** A relay's broker whose publications a test can hold up, lose or count. */
export function brokerThrough(publisher: EventPublisher, publish: EventBroker['publish']): EventBroker {
  return {
    stream: publisher.stream,
    get isDoubtful() {
      return publisher.isDoubtful;
    },
    streamState: () => publisher.streamState(),
    publish,
  };
}

/** A consumer of contacts' events, as a service has it: each effect is a row of `applied`, once. */
export function effectsConsumer(
  connection: NatsConnection,
  database: Database,
  heard: (envelope: EventEnvelope) => void = () => undefined,
  durable?: PullConsumerOptions['durable'],
): PullConsumer {
  const handler: BatchHandler<null> = {
    database,
    consumer: messagingContactsConsumer.name,
    prepare: () => Promise.resolve(null),
    apply: async (tx, fresh) => {
      const envelopes = fresh.map(({ envelope }) => envelope);
      await tx.query(insertApplied, [envelopes.map(({ id }) => id), envelopes.map(({ sequence }) => sequence)]);
      envelopes.forEach(heard);
      return new Set();
    },
    onDead: () => undefined,
    onLinesAway: () => undefined,
  };
  return new PullConsumer({
    connection,
    consumer: messagingContactsConsumer,
    ...(durable && { durable }),
    batchMax: 100,
    handle: (events) => handleBatch(handler, events),
    onMalformed: () => undefined,
    onError: () => undefined,
  });
}

/** What an `EventConsumer` has of its service's platform; its look for marked letters is to be started. */
export function consumerPlatform(
  database: Database,
  nats: NatsConnection,
  onLine: (line: string) => void,
): ConsumerPlatform {
  const log = createLog('test', { write: onLine });
  return { database, nats, log, redrives: new RedriveLook(database, log), epoch: new RecentEpoch(database) };
}
