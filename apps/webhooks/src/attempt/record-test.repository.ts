import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement, type Queryable } from '@switchboard/postgres';
import type { AttemptResult } from '../delivery/delivery.entity.js';

/** A test send that has ended. */
export interface EndedTest {
  readonly organizationId: string;
  readonly webhookId: string;
  readonly dataId: string;
  readonly at: Date;
  readonly result: AttemptResult;
}

/** Its id has its time, by which the log bounds a reading, but none that no day is kept for: it is of the process's clock. */
const recordSql = statement(
  'webhooks.attempt.record-test',
  `INSERT INTO attempt (webhook_id, id, organization_id, delivery_id, event_id, type, kind, number, began_at, duration_ms,
     response_status, response_body, error, outcome, delivery_state)
   VALUES ($1, cuid_floor(least(greatest($5::timestamptz, now() - interval '1 day'), now() + interval '1 day')) || substr($2, 10), $3, $4, $4, 'webhook.test', 'TEST', 1, $5, $6, $7, $8, $9, $10,
     CASE $10 WHEN 'SUCCEEDED' THEN 'SUCCEEDED' ELSE 'FAILED' END)`,
);

/** Records a test send as a delivery of one attempt, which is called by the id of its body. */
export async function recordTest(
  on: Queryable,
  { organizationId, webhookId, dataId, at, result }: EndedTest,
): Promise<void> {
  const { durationMs, responseStatus, responseBody, error, outcome } = result;
  const of = [webhookId, newCuid(), organizationId, dataId, at];
  await on.query(recordSql, [...of, durationMs, responseStatus, responseBody, error, outcome]);
}
