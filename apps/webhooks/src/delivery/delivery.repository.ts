import type { DeliveryState, WebhookEvent } from '@switchboard/contracts/webhooks/http';
import { statement, type Queryable, type Transaction } from '@switchboard/postgres';
import { isWantedSql } from './is-wanted.sql.js';
import { attemptsOfDelivery, type AttemptRow } from '../attempt/attempt.repository.js';
import { STATE_COLUMNS, stateOf, type StateRow } from '../lane/lane.repository.js';
import type { DeliveryWait } from './next-attempt.policy.js';

/** A delivery, wherever it is recorded. */
export interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly type: WebhookEvent;
  readonly state: DeliveryState;
  /** What its next attempt waits for; null unless it is PENDING. */
  readonly waits: DeliveryWait | null;
  /** The last ones, in their order. */
  readonly attempts: readonly AttemptRow[];
}

interface OpenRow extends StateRow {
  readonly eventId: string;
  readonly type: WebhookEvent;
  readonly state: DeliveryState;
  /** Attempts that were made of it; as all that follows null of one in `dropped_delivery`. */
  readonly made: number | null;
  readonly dueAtMs: number;
  readonly nowMs: number;
}

/**
 * One that is pending in a closed lane, or that its webhook no longer subscribes to, is about to be dropped; in an open one it waits for the
 * lane too.
 */
const openSql = statement<OpenRow>(
  'webhooks.delivery.open',
  `SELECT d.event_id AS "eventId", d.type, CASE WHEN waits THEN 'PENDING' ELSE 'DROPPED' END AS state, d.attempts AS made,
     (extract(epoch FROM d.due_at) * 1000)::float8 AS "dueAtMs", (extract(epoch FROM now()) * 1000)::float8 AS "nowMs",
     ${STATE_COLUMNS}
   FROM delivery d JOIN lane l ON l.webhook_id = d.webhook_id
   JOIN webhook w ON w.organization_id = l.organization_id AND w.id = l.webhook_id
   CROSS JOIN LATERAL (SELECT l.is_open AND (d.attempt_id IS NOT NULL OR ${isWantedSql('d')})) AS t (waits)
   WHERE d.webhook_id = $1 AND d.id = $2
   UNION ALL
   SELECT event_id, type, 'DROPPED', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM dropped_delivery WHERE webhook_id = $1 AND id = $2`,
);
const bodySql = statement<{ body: string }>('webhooks.event.body', 'SELECT body FROM event WHERE id = $1');
/**
 * What waits for its retry is due at once. What waits for its first attempt is so already: it keeps its place in its conversation, and what
 * it counts. What is under way is left to itself, and no row says so.
 */
const againSql = statement<{ position: number }>(
  'webhooks.delivery.again',
  `WITH undropped AS (DELETE FROM dropped_delivery WHERE webhook_id = $1 AND id = $2)
   INSERT INTO delivery AS d (webhook_id, id, organization_id, event_id, type, line, position, body_bytes, kind, attempts, due_at)
   SELECT $1, $2, e.organization_id, e.id, e.type, '', e.position, octet_length(e.body), 'MANUAL', $4, now()
   FROM event e WHERE e.id = $3
   ON CONFLICT (webhook_id, id) DO UPDATE SET
     kind = CASE WHEN $5 AND d.tries = 0 THEN d.kind ELSE 'MANUAL' END,
     line = CASE WHEN $5 AND d.tries = 0 THEN d.line ELSE '' END,
     tries = 0, due_at = least(d.due_at, now())
   WHERE d.attempt_id IS NULL
   RETURNING d.position::float8 AS position`,
);

/** A delivery of a webhook with its attempts; null when there is none, or it is older than what is kept. */
export async function findDelivery(on: Queryable, webhookId: string, id: string): Promise<Delivery | null> {
  const rows = await on.query(openSql, [webhookId, id]);
  // Behind it: the attempt that ended one which is no longer pending is among them, and one that was made meanwhile is not shown yet.
  const recorded = await attemptsOfDelivery(on, webhookId, id);
  const open = rows.find(({ state }) => state === 'PENDING') ?? rows[0];
  const attempts = recorded.filter(({ number }) => number <= (open?.made ?? Infinity));
  if (open) {
    const { eventId, type, state, dueAtMs, nowMs } = open;
    const waits = state === 'PENDING' ? { dueAtMs, nowMs, lane: stateOf(open) } : null;
    return { id, webhookId, eventId, type, state, waits, attempts };
  }
  const last = attempts.at(-1);
  if (!last) return null;
  return { id, webhookId, eventId: last.eventId, type: last.event, state: last.deliveryState, waits: null, attempts };
}

/** The bytes of an event; null when it is no longer kept. */
export async function bodyOf(on: Queryable, eventId: string): Promise<string | null> {
  const [row] = await on.query(bodySql, [eventId]);
  return row?.body ?? null;
}

/**
 * Makes a delivery pending again, sent by hand unless it waits for its first attempt, which its webhook subscribes to. Its event must be
 * kept, and its lane be locked.
 *
 * @returns its position; null when an attempt of it is under way: nothing is changed
 */
export async function deliverAgain(tx: Transaction, delivery: Delivery): Promise<number | null> {
  const { webhookId, id, eventId, attempts, state } = delivery;
  const made = attempts.at(-1)?.number ?? 0;
  const [row] = await tx.query(againSql, [webhookId, id, eventId, made, state === 'PENDING']);
  return row?.position ?? null;
}
