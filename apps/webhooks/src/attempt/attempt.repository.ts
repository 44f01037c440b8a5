import { cuidFloor, cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { DeliveryState, WebhookAttemptView } from '@switchboard/contracts/webhooks/http';
import type { ListWebhookAttemptsRequest } from '@switchboard/contracts/webhooks/rpc';
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

const COLUMNS = `a.webhook_id AS "webhookId", a.id, a.organization_id AS "organizationId", a.delivery_id AS "deliveryId",
  a.event_id AS "eventId", a.type AS event, a.kind, a.number, a.began_at AS "beganAt", a.duration_ms AS "durationMs",
  a.response_status AS "responseStatus", a.response_body AS "responseBody", a.error, a.outcome,
  a.delivery_state AS "deliveryState"`;

/** Newest first, by the primary key; a time is a bound of the id as well, so that only its days are read. */
const listSql = statement<AttemptRow>(
  'webhooks.attempt.list',
  `SELECT ${COLUMNS} FROM attempt a
   WHERE a.webhook_id = $1 AND a.id < $2 AND a.id >= $3
     AND ($4::text IS NULL OR a.type = $4) AND ($5::text IS NULL OR a.outcome = $5)
     AND ($6::timestamptz IS NULL OR a.began_at >= $6) AND ($7::timestamptz IS NULL OR a.began_at < $7)
   ORDER BY a.id DESC LIMIT $8`,
);
/** Of one delivery: none is older than the delivery, but for clocks. */
const ofDeliverySql = statement<AttemptRow>(
  'webhooks.attempt.of-delivery',
  `SELECT ${COLUMNS} FROM attempt a WHERE a.delivery_id = $2 AND a.webhook_id = $1 AND a.id >= $3
   ORDER BY a.number, a.id`,
);

/** An attempt's id is drawn a little before or after its beginning, by another clock. */
const CLOCK_MARGIN_MS = 60_000;
/** The id of a delivery carries the event's time, by the clock of the service that emitted it; those of attempts are drawn by ours. */
const OTHER_CLOCK_MARGIN_MS = 60 * 60_000;
/** Sorts after every id. */
const FIRST_PAGE = 'd';
/** Sorts before every id. */
const LAST_PAGE = 'c';

/** At most `limit` attempts of a webhook behind the cursor, newest first. */
export async function listAttempts(
  on: Queryable,
  request: ListWebhookAttemptsRequest,
  limit: number,
): Promise<AttemptRow[]> {
  const { webhookId, cursor, event, outcome } = request;
  const [from, to] = [momentOf(request.from), momentOf(request.to)];
  const upper = to === null ? FIRST_PAGE : cuidFloor(new Date(to.getTime() + CLOCK_MARGIN_MS));
  const before = cursor !== null && cursor < upper ? cursor : upper;
  const after = from === null ? LAST_PAGE : cuidFloor(new Date(from.getTime() - CLOCK_MARGIN_MS));
  return on.query(listSql, [webhookId, before, after, event, outcome, from, to, limit]);
}

function momentOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/** Every attempt of a delivery, the first one first. */
export async function attemptsOfDelivery(on: Queryable, webhookId: string, deliveryId: string): Promise<AttemptRow[]> {
  const from = cuidFloor(new Date(cuidTime(deliveryId).getTime() - OTHER_CLOCK_MARGIN_MS));
  return on.query(ofDeliverySql, [webhookId, deliveryId, from]);
}

/** An attempt as the application's API shows it. */
export function attemptView(row: AttemptRow): WebhookAttemptView {
  const { id, deliveryId, event, eventId: dataId, kind, number: attempt, beganAt, durationMs } = row;
  const { responseStatus, responseBody, error, outcome } = row;
  const seen = { durationMs, responseStatus, responseBody, error, outcome };
  return { id, deliveryId, event, dataId, kind, attempt, at: beganAt.toISOString(), ...seen };
}
