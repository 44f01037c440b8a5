import {
  auditedWebhook,
  webhookDeactivated,
  type AuditedWebhook,
  type WebhookDeactivation,
} from '@switchboard/contracts/webhooks/events';
import { appendEvents, type NewEvent } from '@switchboard/outbox';
import { statement, unnestColumns, type Queryable, type Transaction } from '@switchboard/postgres';
import { MARK_COLUMNS } from '../attempt/record-attempts.repository.js';
import type { MarkedAttempt, PendingDelivery } from '../delivery/delivery.entity.js';
import { isWantedSql } from '../delivery/is-wanted.sql.js';
import { ARRIVAL_DAYS_MAX } from '../event/event.repository.js';

/** Deliveries that are dropped at once; what is left is dropped by the worker, slice by slice. */
const DROP_SLICE_MAX = 1_000;

interface DeactivatedRow extends Omit<AuditedWebhook, 'status'> {
  readonly organizationId: string;
  readonly reason: string;
}

const lockSql = statement<{ id: string }>(
  'webhooks.webhook.lock-to-deactivate',
  `SELECT w.id FROM unnest($1::text[], $2::text[]) AS g (organization_id, id)
   JOIN webhook w ON w.organization_id = g.organization_id AND w.id = g.id FOR NO KEY UPDATE OF w SKIP LOCKED`,
);
const deactivateSql = statement<DeactivatedRow>(
  'webhooks.webhook.deactivate',
  `UPDATE webhook w SET deactivated_at = now(), deactivated_reason = g.reason, updated_at = now()
   FROM unnest($1::text[], $2::text[], $3::text[]) AS g (organization_id, id, reason)
   WHERE w.organization_id = g.organization_id AND w.id = g.id AND w.deactivated_at IS NULL
   RETURNING w.organization_id AS "organizationId", w.id, w.url, w.events, w.description, g.reason`,
);
/**
 * Of deliveries `gone`. What is older than `ARRIVAL_DAYS_MAX` leaves a trace where its event is kept, under whose day it is: a service
 * that was away for so long may have no day for it.
 */
const KEEP_DROPPED = `INSERT INTO dropped_delivery (webhook_id, id, organization_id, event_id, type)
     SELECT webhook_id, id, organization_id, event_id, type FROM gone
     WHERE id >= cuid_floor((date_trunc('day', now() AT TIME ZONE 'UTC') - interval '${ARRIVAL_DAYS_MAX} days') AT TIME ZONE 'UTC')
       OR EXISTS (SELECT FROM event e WHERE e.id = gone.event_id AND left(e.id, 9) = left(gone.id, 9))
     ON CONFLICT DO NOTHING`;
/** What is under way ends by itself; a mark that is long over is of a process that has gone. */
const isLeft = (row: string): string =>
  `(${row}.attempt_id IS NULL OR ${row}.lease_until < now() - interval '1 minute')`;
/**
 * Of a webhook that was enabled meanwhile nothing: what came since is to be delivered. What another session has locked, which may stand
 * still while it drops the same, is left: a deactivation waits for none of it, and the look finds what stays.
 */
const dropSql = statement<{ count: number }>(
  'webhooks.delivery.drop',
  `WITH gone AS (
     DELETE FROM delivery d
     WHERE d.ctid = ANY (ARRAY(
         SELECT ctid FROM delivery chosen WHERE webhook_id = ANY ($1::text[]) AND ${isLeft('chosen')} LIMIT $2
         FOR UPDATE SKIP LOCKED))
       AND ${isLeft('d')}
       AND NOT EXISTS (SELECT FROM lane l WHERE l.webhook_id = d.webhook_id AND l.is_open)
     RETURNING d.webhook_id, d.id, d.organization_id, d.event_id, d.type),
   kept AS (${KEEP_DROPPED})
   SELECT count(*)::integer AS count FROM gone`,
);

const leftSql = statement<{ isLeft: boolean }>(
  'webhooks.delivery.left-to-drop',
  `SELECT EXISTS (SELECT FROM delivery d WHERE d.webhook_id = $1 AND ${isLeft('d')}) AS "isLeft"`,
);

/** Of a mark that another process has recorded as interrupted, nothing is left to drop. */
const dropMarkedSql = statement(
  'webhooks.delivery.drop-marked',
  `WITH gone AS (
     DELETE FROM delivery d USING unnest($1::text[], $2::text[], $3::text[]) AS u (webhook_id, delivery_id, attempt_id)
     WHERE d.webhook_id = u.webhook_id AND d.id = u.delivery_id AND d.attempt_id = u.attempt_id
     RETURNING d.webhook_id, d.id, d.organization_id, d.event_id, d.type)
   ${KEEP_DROPPED}`,
);
/**
 * Of what comes behind a delivery that was met, in the order of its index: so many are looked at, however many wait, and none of the entries
 * before it that an old snapshot keeps. What another session has locked is left, as is what a person has sent again meanwhile.
 */
const dropUnwantedSql = statement(
  'webhooks.delivery.drop-unwanted',
  `WITH gone AS (
     DELETE FROM delivery WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM delivery chosen
       WHERE chosen.attempt_id IS NULL AND chosen.kind <> 'MANUAL' AND chosen.ctid = ANY (ARRAY(
         SELECT behind.ctid
         FROM unnest($1::text[], $2::text[], $3::boolean[], $4::boolean[], $5::bigint[], $6::float8[])
           AS met (organization_id, webhook_id, is_retry, is_replay, position, due_at)
         JOIN webhook w ON w.organization_id = met.organization_id AND w.id = met.webhook_id
         CROSS JOIN LATERAL (
           (SELECT f.ctid, f.kind, f.type FROM delivery f
            WHERE NOT met.is_retry AND f.webhook_id = met.webhook_id AND f.tries = 0 AND f.attempt_id IS NULL
              AND (f.kind = 'REPLAY', f.position) >= (met.is_replay, met.position)
            ORDER BY f.kind = 'REPLAY', f.position LIMIT $7)
           UNION ALL
           (SELECT r.ctid, r.kind, r.type FROM delivery r
            WHERE met.is_retry AND r.webhook_id = met.webhook_id AND r.tries > 0 AND r.attempt_id IS NULL
              AND r.due_at >= to_timestamp(met.due_at / 1000)
            ORDER BY r.due_at LIMIT $7)) AS behind
         WHERE NOT ${isWantedSql('behind')}
         LIMIT $7))
       FOR UPDATE SKIP LOCKED))
     RETURNING webhook_id, id, organization_id, event_id, type)
   ${KEEP_DROPPED}`,
);

/** A webhook that is to be deactivated, and why, as a sentence. */
export interface Deactivation {
  readonly organizationId: string;
  readonly webhookId: string;
  readonly reason: string;
}

/** Locks the rows of webhooks. @returns those that others have locked, as a slice of a replay does: they are not waited for */
export async function lockToDeactivate(
  tx: Transaction,
  deactivations: readonly Deactivation[],
): Promise<readonly string[]> {
  if (deactivations.length === 0) return [];
  const rows = await tx.query(lockSql, unnestColumns(deactivations, ['organizationId', 'webhookId']));
  const locked = new Set(rows.map(({ id }) => id));
  return deactivations.map(({ webhookId }) => webhookId).filter((webhookId) => !locked.has(webhookId));
}

/**
 * Marks webhooks as deactivated, with an event of each for the audit log, and drops a slice of what is pending; their lanes are closed
 * by the caller.
 */
export async function deactivateWebhooks(tx: Transaction, deactivations: readonly Deactivation[]): Promise<void> {
  if (deactivations.length === 0) return;
  const rows = await tx.query(deactivateSql, unnestColumns(deactivations, ['organizationId', 'webhookId', 'reason']));
  appendEvents(tx, rows.map(deactivatedEvent));
  await tx.query(dropSql, [deactivations.map(({ webhookId }) => webhookId), DROP_SLICE_MAX]);
}

function deactivatedEvent({ organizationId, reason, ...webhook }: DeactivatedRow): NewEvent<WebhookDeactivation> {
  const before = auditedWebhook({ ...webhook, status: 'ACTIVE' });
  const data = { before, after: { ...before, status: 'DEACTIVATED' as const }, reason };
  const of = { event: webhookDeactivated, organizationId, aggregateId: webhook.id, sequence: null };
  return { ...of, occurredAt: new Date(), data };
}

/**
 * Turns the deliveries of attempts that are marked, and that their webhooks no longer subscribe to, into dropped ones, and with them a slice
 * of what comes behind them and is not subscribed to either: a receiver that is probed would have one of them dropped with each probe.
 */
export async function dropUnwanted(through: Queryable, attempts: readonly MarkedAttempt[]): Promise<void> {
  if (attempts.length === 0) return;
  const columns = [
    'organizationId',
    'webhookId',
    ({ tries }: PendingDelivery) => tries > 0,
    ({ kind }: PendingDelivery) => kind === 'REPLAY',
    'position',
    // Times are rounded on their way.
    ({ dueAtMs }: PendingDelivery) => dueAtMs - 1,
  ] as const;
  const met = firstsOf(attempts.map(({ delivery }) => delivery));
  await Promise.all([
    through.query(dropMarkedSql, unnestColumns(attempts, MARK_COLUMNS)),
    through.query(dropUnwantedSql, [...unnestColumns(met, columns), DROP_SLICE_MAX]),
  ]);
}

/** The first of each webhook and index. */
function firstsOf(deliveries: readonly PendingDelivery[]): readonly PendingDelivery[] {
  const indexes = Map.groupBy(deliveries, ({ webhookId, tries, kind }) => `${webhookId} ${tries > 0 || kind}`);
  const placeOf = ({ tries, dueAtMs, position }: PendingDelivery): number => (tries > 0 ? dueAtMs : position);
  return [...indexes.values()].map((own) => own.reduce((first, one) => (placeOf(one) < placeOf(first) ? one : first)));
}

/**
 * Turns a slice of pending deliveries into dropped ones.
 *
 * @returns whether it was a whole one, so that there may be more. When it was not, others may have locked, or dropped, some: more may be left
 */
export async function dropPending(queryable: Queryable, webhookIds: readonly string[]): Promise<boolean> {
  const [dropped] = await queryable.query(dropSql, [webhookIds, DROP_SLICE_MAX]);
  return dropped?.count === DROP_SLICE_MAX;
}

/** Turns a slice of a webhook's pending deliveries into dropped ones. @returns whether none is left; rows that others are dropping are */
export async function dropLast(tx: Transaction, webhookId: string): Promise<boolean> {
  await tx.query(dropSql, [[webhookId], DROP_SLICE_MAX]);
  const [left] = await tx.query(leftSql, [webhookId]);
  return left?.isLeft === false;
}
