import { statement, type Database, type Transaction } from '@switchboard/postgres';
import { SETTLE_DEADLINE_MS } from './retry.policy.js';
/** One marked attempt: whoever holds the lease makes the one request that it stands for. */
export interface Dispatch {
  readonly organizationId: string;
  readonly messageId: string;
  readonly channelId: string;
  readonly contactId: string;
  readonly recipientPhone: string;
  /** 1-based count of attempts, this one included. */
  readonly attempts: number;
  readonly lease: string;
}

/** A claimed attempt with what the upstream needs; `refusal` says why it must not be made. */
export interface ClaimedDispatch extends Dispatch {
  readonly text: string;
  readonly phoneNumberId: string;
  readonly accessTokenSealed: Buffer;
  /** What the projection holds as the upstream id of the recipient. */
  readonly contactMessagingId: string;
  readonly refusal: 'opted-out' | 'disconnected' | null;
}

/** An open dispatch whose time has come. */
export interface OverdueDispatch {
  readonly organizationId: string;
  readonly messageId: string;
}

/** Milliseconds for which a marked attempt belongs to who marked it; longer than any request to the upstream. */
export const LEASE_MS = 45_000;
/** Seconds between the last claim of a message and its expiry, so that no message is both. */
const EXPIRE_AFTER_CLAIMS_S = 60;

const insertSql = statement(
  'messaging.dispatch.insert',
  `INSERT INTO dispatch (organization_id, message_id, channel_id, contact_id, recipient_phone, lease, state, due_at,
     attempts)
   SELECT d.*, 'DISPATCHING', now() + make_interval(secs => ${LEASE_MS / 1_000}), 1
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
     AS d(organization_id, message_id, channel_id, contact_id, recipient_phone, lease)`,
);
/** Retries that are due; opt-outs and channels are looked at in the transaction that marks the attempt. */
const claimSql = statement<ClaimedDispatch>(
  'messaging.dispatch.claim',
  `WITH due AS (
     SELECT organization_id, message_id FROM dispatch WHERE state = 'RETRY' AND due_at <= now()
       AND message_id >= cuid_floor(now() - make_interval(secs => ${SETTLE_DEADLINE_MS / 1_000}))
     ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
   ), marked AS (
     UPDATE dispatch d SET state = 'DISPATCHING', attempts = d.attempts + 1, lease = $2,
       due_at = now() + make_interval(secs => ${LEASE_MS / 1_000})
     FROM due WHERE d.organization_id = due.organization_id AND d.message_id = due.message_id
     RETURNING d.*
   ), stamped AS (
     UPDATE message m SET attempted_at = now() FROM marked
     WHERE m.organization_id = marked.organization_id AND m.id = marked.message_id
     RETURNING m.organization_id, m.id, m.text
   )
   SELECT d.organization_id AS "organizationId", d.message_id AS "messageId", d.channel_id AS "channelId",
     d.contact_id AS "contactId", d.recipient_phone AS "recipientPhone", d.attempts, d.lease, stamped.text,
     ch.phone_number_id AS "phoneNumberId", ch.access_token_sealed AS "accessTokenSealed",
     p.messaging_id AS "contactMessagingId",
     CASE WHEN ch.status <> 'CONNECTED' THEN 'disconnected'
       WHEN EXISTS (SELECT FROM suppression s WHERE s.organization_id = d.organization_id
         AND s.contact_id = d.contact_id AND s.channel_id IN (d.channel_id, '*')) THEN 'opted-out' END AS refusal
   FROM marked d
   JOIN stamped ON stamped.organization_id = d.organization_id AND stamped.id = d.message_id
   JOIN channel ch ON ch.organization_id = d.organization_id AND ch.id = d.channel_id
   JOIN contact p ON p.organization_id = d.organization_id AND p.id = d.contact_id`,
);
/** Only the holder of the lease may postpone, late too: it alone knows what came of its attempt. Evidence that came meanwhile has removed the row. */
const postponeSql = statement(
  'messaging.dispatch.postpone',
  `UPDATE dispatch d SET state = p.state, due_at = now() + make_interval(secs => p.delay_ms / 1000.0)
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::float8[])
     AS p(organization_id, message_id, lease, state, delay_ms)
   WHERE d.organization_id = p.organization_id AND d.message_id = p.message_id AND d.lease = p.lease
     AND d.state IN ('DISPATCHING', 'UNKNOWN')`,
);
const unclaimSql = statement(
  'messaging.dispatch.unclaim',
  "UPDATE dispatch SET state = 'RETRY', attempts = attempts - 1 WHERE state = 'DISPATCHING' AND lease = $1",
);
const abandonedSql = statement<OverdueDispatch>(
  'messaging.dispatch.abandoned',
  `UPDATE dispatch d SET state = 'UNKNOWN', due_at = now() + make_interval(secs => $2)
   FROM (SELECT organization_id, message_id FROM dispatch WHERE state = 'DISPATCHING' AND due_at <= now()
     ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED) AS due
   WHERE d.organization_id = due.organization_id AND d.message_id = due.message_id
   RETURNING d.organization_id AS "organizationId", d.message_id AS "messageId"`,
);
/** What is open past its deadline: unknown outcomes by their own, retries by the age of their message's id. */
const expiredSql = statement<OverdueDispatch & { state: 'UNKNOWN' | 'RETRY' }>(
  'messaging.dispatch.expired',
  `SELECT organization_id AS "organizationId", message_id AS "messageId", state FROM dispatch
   WHERE (state = 'UNKNOWN' AND due_at <= now())
     OR (state = 'RETRY' AND message_id < cuid_floor(now() - make_interval(secs => $2 + ${EXPIRE_AFTER_CLAIMS_S})))
   LIMIT $1`,
);

/** Marks first attempts, in the transaction that accepts their messages. Travels with COMMIT. */
export function insertDispatches(tx: Transaction, dispatches: readonly Dispatch[]): void {
  if (dispatches.length === 0) return;
  tx.atCommit(insertSql, [
    dispatches.map((d) => d.organizationId),
    dispatches.map((d) => d.messageId),
    dispatches.map((d) => d.channelId),
    dispatches.map((d) => d.contactId),
    dispatches.map((d) => d.recipientPhone),
    dispatches.map((d) => d.lease),
  ]);
}

/** What is to happen with an attempt whose message is not settled by it. */
export interface Postponement {
  readonly dispatch: Dispatch;
  readonly state: 'RETRY' | 'UNKNOWN';
  readonly delayMs: number;
}

/** Gives attempts back: to be made again, or to wait for evidence. Travels with COMMIT. */
export function postponeDispatches(tx: Transaction, postponements: readonly Postponement[]): void {
  if (postponements.length === 0) return;
  tx.atCommit(postponeSql, [
    postponements.map(({ dispatch }) => dispatch.organizationId),
    postponements.map(({ dispatch }) => dispatch.messageId),
    postponements.map(({ dispatch }) => dispatch.lease),
    postponements.map(({ state }) => state),
    postponements.map(({ delayMs }) => delayMs),
  ]);
}

/**
 * Claims due retries, marking each as an attempt under `lease`. Replicas never claim the same one. When the answer is
 * lost, what was marked is given back: nobody has begun those attempts.
 */
export async function claimRetries(database: Database, limit: number, lease: string): Promise<ClaimedDispatch[]> {
  try {
    return await database.query(claimSql, [limit, lease]);
  } catch (error) {
    await database.query(unclaimSql, [lease]);
    throw error;
  }
}

/** Attempts whose holder is gone wait as UNKNOWN for `waitMs` of evidence: nobody can say whether they left. */
export async function abandonOverdue(database: Database, limit: number, waitMs: number): Promise<OverdueDispatch[]> {
  return database.query(abandonedSql, [limit, waitMs / 1_000]);
}

/** What is open past its deadline. */
export async function expiredDispatches(
  database: Database,
  limit: number,
  deadlineMs: number,
): Promise<(OverdueDispatch & { state: 'UNKNOWN' | 'RETRY' })[]> {
  return database.query(expiredSql, [limit, deadlineMs / 1_000]);
}

const dispatchingSql = statement<{ found: boolean }>(
  'messaging.dispatch.is-dispatching',
  `SELECT EXISTS (SELECT FROM dispatch WHERE organization_id = $1 AND message_id = $2 AND state = 'DISPATCHING')
     AS found`,
);

/** Whether an attempt of the message is marked and its outcome not known yet. */
export async function isDispatching(database: Database, organizationId: string, messageId: string): Promise<boolean> {
  const [row] = await database.query(dispatchingSql, [organizationId, messageId]);
  return row?.found === true;
}

const OPEN_STATES = ['DISPATCHING', 'RETRY', 'UNKNOWN'];
/** Where counting ends, so that looking costs the same however many are open. */
const OPEN_COUNT_MAX = 10_001;
/** By the index on state and due time. */
const countSql = statement<{ state: string; count: number }>(
  'messaging.dispatch.count',
  `SELECT s.state, (SELECT count(*)::int FROM (SELECT FROM dispatch d WHERE d.state = s.state LIMIT $2) AS counted) AS count
   FROM unnest($1::text[]) AS s(state)`,
);

/** Open dispatches of every state, each counted up to 10,001. */
export async function countOpenDispatches(
  database: Database,
): Promise<readonly { readonly state: string; readonly count: number }[]> {
  return database.query(countSql, [OPEN_STATES, OPEN_COUNT_MAX]);
}
