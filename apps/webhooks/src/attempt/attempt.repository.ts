import { cuidFloor, cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { DeliveryState, WebhookAttemptView } from '@switchboard/contracts/webhooks/http';
import { statement, type Queryable } from '@switchboard/postgres';

/** An attempt as it is stored. */
export interface AttemptRow extends Omit<WebhookAttemptView, 'at' | 'dataId' | 'attempt'> {
  readonly webhookId: string;
  readonly organizationId: string;
  readonly eventId: string;
  readonly number: number;
  readonly beganAt: Date;
  readonly deliveryState: DeliveryState;
}

/** The columns of an `AttemptRow`; `a` is the attempt. */
export const ATTEMPT_COLUMNS = `a.webhook_id AS "webhookId", a.id, a.organization_id AS "organizationId", a.delivery_id AS "deliveryId",
  a.event_id AS "eventId", a.type AS event, a.kind, a.number, a.began_at AS "beganAt", a.duration_ms AS "durationMs",
  a.response_status AS "responseStatus", a.response_body AS "responseBody", a.error, a.outcome,
  a.delivery_state AS "deliveryState"`;

/** Attempts of a delivery that are shown: with their responses they fit into an answer. Source: docs/api-behaviour.md#webhooks-manage. */
const SHOWN_MAX = 100;
/** Of one delivery, by index `attempt_delivery` of each day: none is older than the delivery, but for clocks. */
const ofDeliverySql = statement<AttemptRow>(
  'webhooks.attempt.of-delivery',
  `SELECT ${ATTEMPT_COLUMNS} FROM attempt a WHERE a.delivery_id = $2 AND a.webhook_id = $1 AND a.id >= $3
   ORDER BY a.number DESC, a.id DESC LIMIT ${SHOWN_MAX}`,
);

/**
 * The id of a delivery carries the event's time, by the clock of the service that emitted it; those of attempts have the database's. No event
 * is stored that is further ahead: days are made 3 ahead, and today may be over soon. It costs 4 days to look at.
 */
export const OTHER_CLOCK_MARGIN_MS = 4 * 86_400_000;

/** The last attempts of a delivery, at most 100: it has more when it was sent again by hand many times. In their order. */
export async function attemptsOfDelivery(on: Queryable, webhookId: string, deliveryId: string): Promise<AttemptRow[]> {
  const from = cuidFloor(new Date(cuidTime(deliveryId).getTime() - OTHER_CLOCK_MARGIN_MS));
  const lastFirst = await on.query(ofDeliverySql, [webhookId, deliveryId, from]);
  return lastFirst.reverse();
}

/** An attempt as the application's API shows it. */
export function attemptView(row: AttemptRow): WebhookAttemptView {
  const { id, deliveryId, event, eventId: dataId, kind, number: attempt, beganAt, durationMs } = row;
  const { responseStatus, responseBody, error, outcome } = row;
  const seen = { durationMs, responseStatus, responseBody, error, outcome };
  return { id, deliveryId, event, dataId, kind, attempt, at: beganAt.toISOString(), ...seen };
}
