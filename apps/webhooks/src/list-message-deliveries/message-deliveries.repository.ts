import { cuidFloor, cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { WebhookEvent } from '@switchboard/contracts/webhooks/http';
import { statement, type Queryable } from '@switchboard/postgres';
import { deliveryIdSql } from '../delivery/delivery-id.sql.js';

/** One thing that happened to a delivery: an attempt that ended, a wait for the next one, or its end without one. */
export interface DeliveryStep {
  readonly webhookId: string;
  readonly event: WebhookEvent;
  readonly kind: 'ATTEMPT' | 'PENDING' | 'DROPPED';
  readonly at: Date;
  /** Of an attempt. */
  readonly outcome: 'SUCCEEDED' | 'FAILED' | null;
  readonly responseStatus: number | null;
  readonly error: string | null;
  /** 1-based; of a pending delivery, the next one. */
  readonly attempt: number | null;
  /** Of a pending delivery. */
  readonly dueAt: Date | null;
}

/** Events and attempts are not older than the message, but for the clocks of other processes. */
const CLOCK_MARGIN_MS = 60_000;
/** More than four events to 20 webhooks in three attempts each. */
const STEPS_MAX = 300;

/**
 * By index `event_message`, then by the ids of deliveries, which follow from event and webhook (`storeEvents`). Attempts sent
 * again by hand have the same ids; those of a replay have others and are not found.
 */
const stepsSql = statement<DeliveryStep>(
  'webhooks.message.deliveries',
  `WITH carried AS (
     SELECT e.type AS event, e.stored_at, w.id AS webhook_id,
       ${deliveryIdSql('e.id', 'w.id')} AS delivery_id
     FROM event e JOIN webhook w ON w.organization_id = e.organization_id
     WHERE e.message_id = $2 AND e.organization_id = $1 AND e.id >= $3), steps AS (
     SELECT t.webhook_id, t.event, 'ATTEMPT' AS kind, a.began_at + make_interval(secs => a.duration_ms / 1000.0) AS at,
       a.outcome, a.response_status, a.error, a.number AS attempt, NULL::timestamptz AS due_at
     FROM carried t JOIN attempt a ON a.delivery_id = t.delivery_id AND a.webhook_id = t.webhook_id AND a.id >= $3
     UNION ALL
     SELECT t.webhook_id, t.event, 'PENDING', coalesce((
         SELECT max(a.began_at + make_interval(secs => a.duration_ms / 1000.0)) FROM attempt a
         WHERE a.delivery_id = t.delivery_id AND a.webhook_id = t.webhook_id AND a.id >= $3), t.stored_at),
       NULL, NULL, NULL, d.attempts + 1, d.due_at
     FROM carried t JOIN delivery d ON d.webhook_id = t.webhook_id AND d.id = t.delivery_id
     UNION ALL
     SELECT t.webhook_id, t.event, 'DROPPED', t.stored_at, NULL, NULL, NULL, NULL, NULL
     FROM carried t JOIN dropped_delivery d ON d.webhook_id = t.webhook_id AND d.id = t.delivery_id AND d.id >= $3)
   SELECT webhook_id AS "webhookId", event, kind, at, outcome, response_status AS "responseStatus", error, attempt,
     due_at AS "dueAt"
   FROM steps ORDER BY at, webhook_id, attempt, kind LIMIT ${STEPS_MAX}`,
);

/** What happened to the deliveries of a message's events, in order of time. */
export async function deliveryStepsOf(
  on: Queryable,
  organizationId: string,
  messageId: string,
): Promise<DeliveryStep[]> {
  const from = cuidFloor(new Date(cuidTime(messageId).getTime() - CLOCK_MARGIN_MS));
  return on.query(stepsSql, [organizationId, messageId, from]);
}
