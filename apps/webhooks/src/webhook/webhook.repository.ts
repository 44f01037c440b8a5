import type { KeyedRequest } from '@switchboard/contracts/grammar/keyed-request';
import type { SubscribableEvent } from '@switchboard/contracts/webhooks/http';
import { statement, type Queryable, type Transaction } from '@switchboard/postgres';

/** A webhook with what its lane counts. */
export interface WebhookRow {
  readonly organizationId: string;
  readonly id: string;
  readonly url: string;
  readonly events: readonly SubscribableEvent[];
  readonly description: string | null;
  readonly deactivatedAt: Date | null;
  readonly deactivatedReason: string | null;
  readonly updatedAt: Date;
  readonly consecutiveFailures: number;
}

const SELECT = `SELECT w.organization_id AS "organizationId", w.id, w.url, w.events, w.description,
    w.deactivated_at AS "deactivatedAt", w.deactivated_reason AS "deactivatedReason", w.updated_at AS "updatedAt",
    l.consecutive_failures AS "consecutiveFailures"
  FROM webhook w JOIN lane l ON l.webhook_id = w.id WHERE w.organization_id = $1`;
const getSql = statement<WebhookRow>('webhooks.webhook.get', `${SELECT} AND w.id = $2`);
/** Newest first, by the primary key. */
const listSql = statement<WebhookRow>('webhooks.webhook.list', `${SELECT} AND w.id < $2 ORDER BY w.id DESC LIMIT $3`);
/**
 * Before the lane's lock, everywhere: what is waited for here, a slice of a replay, keeps nothing from being delivered. A worker, which has
 * lanes already, waits for no row of a webhook.
 */
const lockRowSql = statement(
  'webhooks.webhook.lock-row',
  'SELECT FROM webhook WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE',
);
const lockSql = statement<{ webhookId: string }>(
  'webhooks.webhook.lock',
  `SELECT webhook_id AS "webhookId" FROM lane WHERE webhook_id = $2 AND organization_id = $1 FOR NO KEY UPDATE`,
);
const shareSql = statement<Pick<WebhookRow, 'events'>>(
  'webhooks.webhook.share',
  `SELECT CASE WHEN deactivated_at IS NULL THEN events ELSE '{}' END AS events FROM webhook WHERE organization_id = $1 AND id = $2 FOR SHARE`,
);
/**
 * How far an event may seem older than a webhook that it came behind: its id has the clock of the service that emitted it, the webhook the
 * earlier one of two others. All are clocks of services. That of the database has no part in it: hours behind them it would send
 * what had occurred hours before and was held up, and hours ahead pass by what occurs from then on.
 */
const CLOCK_MARGIN = `interval '1 hour'`;
/** One at a time for an organization, so that its number is exact. */
const lockNumberSql = statement(
  'webhooks.webhook.lock-number',
  `SELECT pg_advisory_xact_lock(hashtextextended('webhooks of ' || $1::text, 0))`,
);
const countSql = statement<{ count: number }>(
  'webhooks.webhook.count',
  'SELECT count(*)::integer AS count FROM webhook WHERE organization_id = $1',
);
const insertSql = statement(
  'webhooks.webhook.insert',
  `INSERT INTO webhook
     (organization_id, id, url, events, description, secret_sealed, events_from, idempotency_key, idempotency_body)
   VALUES ($1, $2, $3, $4::text[], $5, $6, cuid_floor($7::timestamptz - ${CLOCK_MARGIN}),
     decode($8, 'hex'), decode($9, 'hex'))`,
);
const ofRequestSql = statement<{ readonly id: string; readonly isSameBody: boolean }>(
  'webhooks.webhook.of-request',
  `SELECT id, idempotency_body = decode($3, 'hex') AS "isSameBody" FROM webhook
   WHERE organization_id = $1 AND idempotency_key = decode($2, 'hex')`,
);
const changeSql = statement(
  'webhooks.webhook.change',
  `UPDATE webhook SET url = $3, events = $4::text[], description = $5, updated_at = now()
   WHERE organization_id = $1 AND id = $2`,
);
const activateSql = statement(
  'webhooks.webhook.activate',
  `UPDATE webhook SET deactivated_at = NULL, deactivated_reason = NULL, updated_at = now()
   WHERE organization_id = $1 AND id = $2`,
);
const deleteSql = statement(
  'webhooks.webhook.delete',
  `WITH gone AS (DELETE FROM lane WHERE webhook_id = $2),
   kept AS (INSERT INTO deleted_webhook (organization_id, id) VALUES ($1, $2) ON CONFLICT DO NOTHING)
   DELETE FROM webhook WHERE organization_id = $1 AND id = $2`,
);

/** Sorts after every id. */
const FIRST_PAGE = 'd';

/** What is stored of a new webhook. */
export interface NewWebhook extends Pick<WebhookRow, 'organizationId' | 'id' | 'url' | 'events' | 'description'> {
  readonly secretSealed: Buffer;
  /** By the clocks of the gateway and of this service, the earlier one. It is sent what occurs from then on. */
  readonly createdAt: Date;
  /** Null: registered without an `Idempotency-Key`. */
  readonly keyed: KeyedRequest | null;
}

/** One webhook; null when the organization has none of this id. */
export async function findWebhook(on: Queryable, organizationId: string, id: string): Promise<WebhookRow | null> {
  const [row] = await on.query(getSql, [organizationId, id]);
  return row ?? null;
}

/** At most `limit` webhooks behind the cursor, newest first. */
export async function listWebhooks(
  on: Queryable,
  organizationId: string,
  cursor: string | null,
  limit: number,
): Promise<WebhookRow[]> {
  return on.query(listSql, [organizationId, cursor ?? FIRST_PAGE, limit]);
}

/** Locks a webhook, and then its lane, and reads it; null when the organization has none of this id. */
export async function lockToChange(tx: Transaction, organizationId: string, id: string): Promise<WebhookRow | null> {
  await tx.query(lockRowSql, [organizationId, id]);
  return lockWebhook(tx, organizationId, id);
}

/** Locks the lane of a webhook, and reads the webhook; null when the organization has none of this id. Its row may not be changed. */
export async function lockWebhook(tx: Transaction, organizationId: string, id: string): Promise<WebhookRow | null> {
  await tx.query(lockSql, [organizationId, id]);
  return findWebhook(tx, organizationId, id);
}

/** What a webhook subscribes to, nothing when there is none that is active; stays so until the transaction ends. Its lane goes on meanwhile. */
export async function shareEvents(
  tx: Transaction,
  organizationId: string,
  id: string,
): Promise<readonly SubscribableEvent[]> {
  const [row] = await tx.query(shareSql, [organizationId, id]);
  return row?.events ?? [];
}

/** How many webhooks the organization has; stays so until the transaction ends. */
export async function lockWebhookCount(tx: Transaction, organizationId: string): Promise<number> {
  await tx.query(lockNumberSql, [organizationId]);
  const [row] = await tx.query(countSql, [organizationId]);
  return row?.count ?? 0;
}

/** Stores a webhook. Its lane is made by the caller. */
export async function insertWebhook(tx: Transaction, webhook: NewWebhook): Promise<void> {
  const { organizationId, id, url, events, description, secretSealed, createdAt, keyed } = webhook;
  const request = [keyed?.keySha256 ?? null, keyed?.bodySha256 ?? null];
  await tx.query(insertSql, [organizationId, id, url, events, description, secretSealed, createdAt, ...request]);
}

/** The webhook that an earlier request with the same `Idempotency-Key` registered, and whether its body was the same; or null. */
export async function findWebhookOfRequest(
  on: Queryable,
  organizationId: string,
  { keySha256, bodySha256 }: KeyedRequest,
): Promise<{ readonly id: string; readonly isSameBody: boolean } | null> {
  const [row] = await on.query(ofRequestSql, [organizationId, keySha256, bodySha256]);
  return row ?? null;
}

/** Stores what people change. */
export async function storeWebhook(tx: Transaction, webhook: WebhookRow): Promise<void> {
  const { organizationId, id, url, events, description } = webhook;
  await tx.query(changeSql, [organizationId, id, url, events, description]);
}

/** Makes a webhook active. Its lane is opened by the caller. */
export async function activateWebhook(tx: Transaction, organizationId: string, id: string): Promise<void> {
  await tx.query(activateSql, [organizationId, id]);
}

/** Removes a webhook and its lane, and keeps its id for timelines; what is pending is dropped by a worker. */
export async function removeWebhook(tx: Transaction, organizationId: string, id: string): Promise<void> {
  await tx.query(deleteSql, [organizationId, id]);
}
