import { statement, unnestColumns, type Queryable, type Transaction } from '@switchboard/postgres';
import { isWantedSql } from '../delivery/is-wanted.sql.js';
import { beginningOf, type MarkedAttempt, type SettledAttempt } from '../delivery/delivery.entity.js';

const at = (column: string): string => `to_timestamp(${column} / 1000)`;

/** Those whose deliveries are marked with them still: any other was recorded already, as interrupted. */
const unrecordedSql = statement<{ id: string }>(
  'webhooks.attempt.unrecorded',
  `SELECT d.attempt_id AS id FROM unnest($1::text[], $2::text[], $3::text[]) AS e (webhook_id, delivery_id, id)
   JOIN delivery d ON d.webhook_id = e.webhook_id AND d.id = e.delivery_id AND d.attempt_id = e.id`,
  { writesNothing: true },
);
/** In one statement: the delivery is over, or due again, and the attempt is recorded. */
const recordSql = statement(
  'webhooks.attempt.record',
  `WITH ended AS (
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::integer[],
       $9::float8[], $10::integer[], $11::integer[], $12::text[], $13::text[], $14::text[], $15::text[], $16::float8[])
       AS e (webhook_id, id, organization_id, delivery_id, event_id, type, kind, number, began_at, duration_ms,
         response_status, response_body, error, outcome, state, due_at)),
   over AS (
     DELETE FROM delivery d USING ended e
     WHERE d.webhook_id = e.webhook_id AND d.id = e.delivery_id AND e.due_at IS NULL),
   again AS (
     UPDATE delivery d SET attempts = d.attempts + 1, tries = d.tries + 1, due_at = ${at('e.due_at')},
       attempt_id = NULL, attempt_at = NULL, lease_until = NULL
     FROM ended e WHERE d.webhook_id = e.webhook_id AND d.id = e.delivery_id AND e.due_at IS NOT NULL)
   INSERT INTO attempt (webhook_id, id, organization_id, delivery_id, event_id, type, kind, number, began_at, duration_ms,
     response_status, response_body, error, outcome, delivery_state)
   SELECT webhook_id, id, organization_id, delivery_id, event_id, type, kind, number, ${at('began_at')}, duration_ms,
     response_status, response_body, error, outcome, state FROM ended`,
);
/** Of a mark that another process has recorded as interrupted, nothing is left to take back. */
const unmarkSql = statement(
  'webhooks.attempt.unmark',
  `UPDATE delivery d SET attempt_id = NULL, attempt_at = NULL, lease_until = NULL
   FROM unnest($1::text[], $2::text[], $3::text[]) AS u (webhook_id, delivery_id, id)
   WHERE d.webhook_id = u.webhook_id AND d.id = u.delivery_id AND d.attempt_id = u.id`,
);
/** What a request needs: the body, and where and how it goes at this moment. */
export interface BegunRequest {
  readonly attemptId: string;
  readonly body: string | null;
  readonly url: string;
  readonly secretSealed: Buffer;
  readonly previousSecretSealed: Buffer | null;
  /** False: its webhook no longer subscribes to the event, and no person has asked for the delivery. */
  readonly isWanted: boolean;
}
/** Of a delivery as it was read: one that was sent again by hand since is another. */
const beginSql = statement<BegunRequest>(
  'webhooks.attempt.begin',
  `WITH begun AS (
     UPDATE delivery d SET attempt_id = b.id, attempt_at = ${at('b.began_at')}, lease_until = ${at('b.lease_until')}
     FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::float8[], $6::text[], $7::integer[])
       AS b (webhook_id, delivery_id, id, began_at, lease_until, kind, tries)
     WHERE d.webhook_id = b.webhook_id AND d.id = b.delivery_id AND d.attempt_id IS NULL
       AND d.kind = b.kind AND d.tries = b.tries
     RETURNING d.attempt_id, d.organization_id, d.webhook_id, d.event_id, d.type, d.kind)
   SELECT b.attempt_id AS "attemptId", e.body, w.url, w.secret_sealed AS "secretSealed",
     CASE WHEN w.previous_secret_until > now() THEN w.previous_secret_sealed END AS "previousSecretSealed",
     ${isWantedSql('b')} AS "isWanted"
   FROM begun b
   JOIN webhook w ON w.organization_id = b.organization_id AND w.id = b.webhook_id
   LEFT JOIN event e ON e.id = b.event_id`,
);

/** What names a marked attempt in a statement: webhook, delivery and attempt. */
export const MARK_COLUMNS = [
  ({ delivery }: MarkedAttempt) => delivery.webhookId,
  ({ delivery }: MarkedAttempt) => delivery.id,
  'id',
] as const;

/** The ids of those attempts of which no end is recorded yet. To be asked under the locks of the lanes. */
export async function unrecordedOf(tx: Transaction, attempts: readonly MarkedAttempt[]): Promise<ReadonlySet<string>> {
  if (attempts.length === 0) return new Set();
  const rows = await tx.query(unrecordedSql, unnestColumns(attempts, MARK_COLUMNS));
  return new Set(rows.map(({ id }) => id));
}

/** Takes marks back: their deliveries are pending as they were before. */
export async function unmarkAttempts(through: Queryable, attempts: readonly MarkedAttempt[]): Promise<void> {
  if (attempts.length > 0) await through.query(unmarkSql, unnestColumns(attempts, MARK_COLUMNS));
}

/** Records attempts with their ends, and what their deliveries became. */
export async function recordAttempts(through: Queryable, settled: readonly SettledAttempt[]): Promise<void> {
  if (settled.length === 0) return;
  const rows = settled.map((one) => {
    const { attempt, result, state, dueAtMs, recordedAs: id = attempt.id } = one;
    const { webhookId, organizationId, eventId, type, kind } = attempt.delivery;
    const of = { webhookId, organizationId, deliveryId: attempt.delivery.id, eventId, type, kind };
    const number = attempt.delivery.attempts + 1;
    return { ...of, ...result, id, number, beganAtMs: beginningOf(one), state, dueAtMs };
  });
  const columns = [
    'webhookId',
    'id',
    'organizationId',
    'deliveryId',
    'eventId',
    'type',
    'kind',
    'number',
    'beganAtMs',
    'durationMs',
    'responseStatus',
    'responseBody',
    'error',
    'outcome',
    'state',
    'dueAtMs',
  ] as const;
  await through.query(recordSql, unnestColumns(rows, columns));
}

/** Marks attempts as under way, with COMMIT. @param onBegun gets what the requests need, of those that are marked now */
export function beginAttempts(
  tx: Transaction,
  attempts: readonly MarkedAttempt[],
  onBegun: (requests: readonly BegunRequest[]) => void,
): void {
  if (attempts.length === 0) return;
  const columns = [
    ({ delivery }: MarkedAttempt) => delivery.webhookId,
    ({ delivery }: MarkedAttempt) => delivery.id,
    'id',
    'beganAtMs',
    'leaseUntilMs',
    ({ delivery }: MarkedAttempt) => delivery.kind,
    ({ delivery }: MarkedAttempt) => delivery.tries,
  ] as const;
  tx.atCommit(beginSql, unnestColumns(attempts, columns), onBegun);
}
