import { cuidFloor, cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { WebhookEvent } from '@switchboard/contracts/webhooks/http';
import { statement, type Queryable } from '@switchboard/postgres';
import { OTHER_CLOCK_MARGIN_MS } from '../attempt/attempt.repository.js';
import { isWantedSql } from '../delivery/is-wanted.sql.js';
import { deliveryIdSql } from '../delivery/delivery-id.sql.js';

/** One thing that happened to a delivery: an attempt that ended, a wait for the next one, or its end without one. */
export interface DeliveryStep {
  readonly webhookId: string;
  readonly event: WebhookEvent;
  readonly kind: 'ATTEMPT' | 'PENDING' | 'DROPPED';
  /** Why it is, or was, sent. */
  readonly sent: 'AUTOMATIC' | 'MANUAL' | 'REPLAY';
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

interface Row extends Omit<DeliveryStep, 'at'> {
  /** Null: it is the time of the replay. */
  readonly at: Date | null;
  readonly replayId: string | null;
}

/** Events are not older than the message, but for the clocks of other processes; attempts have the database's. */
const CLOCK_MARGIN_MS = 60_000;
/** Of what is sent by itself: more than four events to 20 webhooks in three attempts each. */
const STEPS_MAX = 300;
/** Of what was sent again: the newest attempts. */
const AGAIN_MAX = 100;
/** Of an organization, the newest. */
const DELETED_MAX = 100;
const REPLAYS_MAX = 60;

const ENDED_AT = 'a.began_at + make_interval(secs => a.duration_ms / 1000.0)';

/**
 * By index `event_message`, then by the ids of deliveries: those follow from the event and the webhook (`storeEvents`), or the
 * replay (`queueReplay`), of which the row is kept for a day. Attempts of what was sent again are found by the event itself,
 * `attempt_of_event`, for as long as they are kept.
 */
const stepsSql = statement<Row>(
  'webhooks.message.deliveries',
  `WITH carrier AS MATERIALIZED (
     SELECT id, type, stored_at FROM event WHERE message_id = $2 AND organization_id = $1 AND id >= $3),
   taker AS (
     SELECT id FROM webhook WHERE organization_id = $1
     UNION ALL
     (SELECT id FROM deleted_webhook WHERE organization_id = $1 ORDER BY id DESC LIMIT ${DELETED_MAX})),
   carried AS MATERIALIZED (
     SELECT e.type AS event, e.stored_at AS at, w.id AS webhook_id, NULL AS replay_id,
       ${deliveryIdSql('e.id', 'w.id')} AS delivery_id
     FROM carrier e CROSS JOIN taker w
     UNION ALL
     SELECT e.type, NULL, r.webhook_id, r.id, ${deliveryIdSql('e.id', 'r.id', 'r.id')}
     FROM carrier e CROSS JOIN (
       SELECT id, webhook_id FROM replay WHERE organization_id = $1 ORDER BY id DESC LIMIT ${REPLAYS_MAX}) AS r),
   first_steps AS (
     SELECT a.webhook_id, a.type AS event, 'ATTEMPT' AS kind, a.kind AS sent, ${ENDED_AT} AS at, NULL AS replay_id,
       a.outcome, a.response_status, a.error, a.number AS attempt, NULL::timestamptz AS due_at
     FROM attempt a
     WHERE a.delivery_id = ANY (ARRAY(SELECT delivery_id FROM carried WHERE replay_id IS NULL))
       AND a.organization_id = $1 AND a.kind = 'AUTOMATIC' AND a.id >= $4
     ORDER BY at LIMIT ${STEPS_MAX}),
   again AS (
     SELECT a.webhook_id, a.type, 'ATTEMPT', a.kind, ${ENDED_AT} AS at, NULL, a.outcome, a.response_status, a.error, a.number,
       NULL::timestamptz
     FROM attempt a
     WHERE a.event_id = ANY (ARRAY(SELECT id FROM carrier)) AND a.kind <> 'AUTOMATIC' AND a.organization_id || '' = $1
     ORDER BY a.began_at DESC LIMIT ${AGAIN_MAX}),
   waiting AS (
     SELECT t.webhook_id, t.event, CASE WHEN l.is_open AND ${isWantedSql('d')} THEN 'PENDING' ELSE 'DROPPED' END, d.kind, coalesce((
         SELECT max(${ENDED_AT}) FROM attempt a
         WHERE a.delivery_id = t.delivery_id AND a.webhook_id = t.webhook_id AND a.id >= $4), t.at), t.replay_id,
       NULL, NULL::integer, NULL, d.attempts + 1, d.due_at
     FROM carried t JOIN delivery d ON d.webhook_id = t.webhook_id AND d.id = t.delivery_id
     LEFT JOIN lane l ON l.webhook_id = d.webhook_id
     LEFT JOIN webhook w ON w.organization_id = l.organization_id AND w.id = l.webhook_id
     LIMIT ${STEPS_MAX}),
   dropped AS (
     SELECT t.webhook_id, t.event, 'DROPPED', CASE WHEN t.replay_id IS NULL THEN 'AUTOMATIC' ELSE 'REPLAY' END, t.at, t.replay_id,
       NULL, NULL::integer, NULL, NULL::integer, NULL::timestamptz
     FROM carried t JOIN dropped_delivery d ON d.webhook_id = t.webhook_id AND d.id = t.delivery_id AND d.id >= $3
     LIMIT ${STEPS_MAX}),
   steps AS (
     SELECT * FROM first_steps UNION ALL SELECT * FROM again UNION ALL SELECT * FROM waiting UNION ALL SELECT * FROM dropped)
   SELECT webhook_id AS "webhookId", event, kind, sent, at, replay_id AS "replayId", outcome,
     response_status AS "responseStatus", error, attempt, due_at AS "dueAt"
   FROM steps ORDER BY at, webhook_id, attempt, kind`,
);

/** What happened to the deliveries of a message's events, in order of time. */
export async function deliveryStepsOf(
  on: Queryable,
  organizationId: string,
  messageId: string,
): Promise<DeliveryStep[]> {
  const from = (marginMs: number): string => cuidFloor(new Date(cuidTime(messageId).getTime() - marginMs));
  const rows = await on.query(stepsSql, [
    organizationId,
    messageId,
    from(CLOCK_MARGIN_MS),
    from(OTHER_CLOCK_MARGIN_MS),
  ]);
  return rows
    .flatMap(({ at, replayId, ...step }) => {
      const known = at ?? (replayId === null ? null : cuidTime(replayId));
      return known === null ? [] : { ...step, at: known };
    })
    .sort((one, other) => one.at.getTime() - other.at.getTime());
}
