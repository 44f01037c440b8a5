import { ROOT_CONTEXT } from '@opentelemetry/api';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import type { DeliveredEvent } from '@switchboard/nats';
import { statement, type Queryable } from '@switchboard/postgres';

/** Name of the consumer whose dead letters are events that no broker would store; see `Relay`. */
export const RELAY_CONSUMER = 'relay';

const KEEP = `INSERT INTO dead_letter (event_id, consumer, subject, envelope, error, deliveries)
   SELECT $1, $2, $3, $4, $5, $6::int`;
const AGAIN = `ON CONFLICT (event_id, consumer) DO UPDATE
   SET error = excluded.error, deliveries = excluded.deliveries, died_at = now(), redrive_requested_at = NULL`;
/** A dead letter that is driven again and fails is buried at once; one that is discarded leaves nothing behind. */
const FORGOTTEN = 'forgotten AS (DELETE FROM event_failure WHERE event_id = $1 AND consumer = $2)';
const bury = statement(
  'dead-letter.bury',
  `WITH unapplied AS (DELETE FROM inbox WHERE event_id = $1 AND consumer = $2), ${FORGOTTEN} ${KEEP} ${AGAIN}`,
);
const buryFailed = statement(
  'dead-letter.bury-failed',
  `WITH ${FORGOTTEN} ${KEEP} WHERE NOT EXISTS (SELECT FROM inbox WHERE event_id = $1 AND consumer = $2) ${AGAIN}`,
);
const keep = statement(
  'dead-letter.keep',
  `UPDATE dead_letter SET error = $3, deliveries = $4, died_at = now(), redrive_requested_at = NULL
   WHERE event_id = $1 AND consumer = $2`,
);
const marked = statement<{ envelope: string; deliveries: number }>(
  'dead-letter.marked',
  `SELECT envelope, deliveries FROM dead_letter WHERE consumer = $1 AND redrive_requested_at IS NOT NULL
     AND event_id > $3
   ORDER BY event_id LIMIT $2`,
);
/** A probe of the index for each, however many letters there are. */
const markedConsumers = statement<{ consumer: string }>(
  'dead-letter.marked-consumers',
  `SELECT consumer FROM unnest($1::text[]) AS given(consumer)
   WHERE EXISTS (SELECT FROM dead_letter l WHERE l.consumer = given.consumer AND l.redrive_requested_at IS NOT NULL)`,
);
const take = statement<{ eventId: string }>(
  'dead-letter.take',
  `WITH own AS (
     SELECT event_id FROM dead_letter
     WHERE event_id = ANY($1::text[]) AND consumer = $2 AND redrive_requested_at IS NOT NULL
     ORDER BY event_id FOR UPDATE SKIP LOCKED)
   DELETE FROM dead_letter AS letter USING own WHERE letter.event_id = own.event_id AND letter.consumer = $2
   RETURNING letter.event_id AS "eventId"`,
);

/**
 * Keeps an event as a dead letter of its consumer, in the transaction that was to apply it: its inbox row is taken back,
 * so that driven again it is as if it had never come. The caller acknowledges it.
 */
export async function buryEvent(tx: Queryable, consumer: string, event: DeliveredEvent, reason: string): Promise<void> {
  await tx.query(bury, rowOf(consumer, event, reason));
}

/** Keeps an event whose transaction failed as a dead letter, unless somebody else has applied it meanwhile. */
export async function buryFailedEvent(
  through: Queryable,
  consumer: string,
  event: DeliveredEvent,
  error: unknown,
): Promise<void> {
  await through.query(buryFailed, rowOf(consumer, event, reasonOf(error)));
}

/**
 * Keeps a letter whose redrive failed, with the new error and without its mark. One that another replica has applied
 * meanwhile stays gone: an event older than the inbox has no row there to show it.
 */
export async function keepLetter(
  through: Queryable,
  consumer: string,
  { envelope, deliveries }: DeliveredEvent,
  error: unknown,
): Promise<void> {
  await through.query(keep, [envelope.id, consumer, reasonOf(error), deliveries]);
}

/**
 * Dead letters that an operator wants tried again, oldest first; this try is counted as one more delivery.
 *
 * @param after id of the event after which they begin
 */
export async function markedLetters(
  through: Queryable,
  consumer: string,
  max: number,
  after = '',
): Promise<DeliveredEvent[]> {
  const rows = await through.query(marked, [consumer, max, after]);
  return rows.map(({ envelope, deliveries }) => ({
    envelope: JSON.parse(envelope) as EventEnvelope,
    deliveries: deliveries + 1,
    context: ROOT_CONTEXT,
  }));
}

/** Those of the consumers of which an operator wants letters tried again. */
export async function consumersWithMarkedLetters(
  through: Queryable,
  consumers: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await through.query(markedConsumers, [consumers]);
  return new Set(rows.map(({ consumer }) => consumer));
}

/**
 * Takes marked letters away, in the transaction that does what they were for.
 *
 * @returns the ids that were still there and that no other command is working on
 */
export async function takeLetters(
  through: Queryable,
  consumer: string,
  eventIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await through.query(take, [eventIds, consumer]);
  return new Set(rows.map(({ eventId }) => eventId));
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function rowOf(consumer: string, { envelope, deliveries }: DeliveredEvent, reason: string): unknown[] {
  return [envelope.id, consumer, envelope.subject, JSON.stringify(envelope), reason, deliveries];
}
