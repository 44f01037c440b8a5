import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement, type PruneStatement, type Queryable } from '@switchboard/postgres';
import { INTERRUPTED, type AttemptResult } from '../delivery/delivery.entity.js';

/** A test send: a delivery of one attempt, which is called by the id of its body. */
export interface TestSend {
  readonly organizationId: string;
  readonly webhookId: string;
  readonly dataId: string;
}

/** It is over by then, with the receiver's 10 s and its record, or nothing will be recorded of it. */
const OVER_SECONDS = 20;
/** The receiver's time, which is what is known of how long it lasted. */
const INTERRUPTED_MS = 10_000;

const beginSql = statement(
  'webhooks.test-send.begin',
  `INSERT INTO test_send (webhook_id, id, organization_id, attempt_id, began_at) VALUES ($1, $2, $3, $4, $5)`,
);
const forgetSql = statement('webhooks.test-send.forget', 'DELETE FROM test_send WHERE webhook_id = $1 AND id = $2');

const COLUMNS = `webhook_id, id, organization_id, delivery_id, event_id, type, kind, number, began_at, duration_ms, response_status, response_body,
  error, outcome, delivery_state`;
/** Of a test send `t`. Its id has its time, by which the log bounds a reading, but none that no day is kept for: it is of the process's clock. */
const VALUES = `t.webhook_id, cuid_floor(least(greatest(t.began_at, now() - interval '1 day'), now() + interval '1 day')) || substr(t.attempt_id, 10),
  t.organization_id, t.id, t.id, 'webhook.test', 'TEST', 1, t.began_at`;
const recordSql = statement(
  'webhooks.attempt.record-test',
  `WITH t AS (DELETE FROM test_send WHERE webhook_id = $1 AND id = $2 RETURNING *)
   INSERT INTO attempt (${COLUMNS})
   SELECT ${VALUES}, $3, $4, $5, $6, $7, CASE $7 WHEN 'SUCCEEDED' THEN 'SUCCEEDED' ELSE 'FAILED' END FROM t`,
);

/** Records test sends whose process has ended, or has stood still for so long, as interrupted. By index `test_send_age`. */
export const recordInterruptedTests: PruneStatement = statement(
  'webhooks.test-send.interrupt',
  `WITH over AS (
     SELECT webhook_id, id FROM test_send WHERE stored_at < now() - interval '${OVER_SECONDS} seconds'
     ORDER BY stored_at LIMIT $1 FOR UPDATE SKIP LOCKED),
   t AS (
     DELETE FROM test_send s USING over WHERE s.webhook_id = over.webhook_id AND s.id = over.id RETURNING s.*),
   recorded AS (
     INSERT INTO attempt (${COLUMNS}) SELECT ${VALUES}, ${INTERRUPTED_MS}, NULL, NULL, '${INTERRUPTED}', 'FAILED', 'FAILED' FROM t RETURNING 1)
   SELECT count(*)::int AS count FROM recorded`,
);

/** Before its request. @param at by the clock of the process */
export async function beginTest(
  on: Queryable,
  { organizationId, webhookId, dataId }: TestSend,
  at: Date,
): Promise<void> {
  await on.query(beginSql, [webhookId, dataId, organizationId, newCuid(), at]);
}

/** Nothing was sent of it. */
export async function forgetTest(on: Queryable, { webhookId, dataId }: TestSend): Promise<void> {
  await on.query(forgetSql, [webhookId, dataId]);
}

/** Records the end of one that was begun, unless it was recorded as interrupted by then. */
export async function recordTest(
  on: Queryable,
  { webhookId, dataId }: TestSend,
  { durationMs, responseStatus, responseBody, error, outcome }: AttemptResult,
): Promise<void> {
  await on.query(recordSql, [webhookId, dataId, durationMs, responseStatus, responseBody, error, outcome]);
}
