import { IS_COMPARED } from '@switchboard/outbox';
import { statement, type Database, type Transaction, unnestColumns } from '@switchboard/postgres';
import { keepLatest, outcomeColumns } from '../attempt-outcome/attempt-outcome.repository.js';
import { inAnyMonth } from '../message/lock-messages.js';
import { announceUnknown } from './announce-unknown.js';
import { LEASE_MS, type AttemptLane, type AttemptTemplate, type Dispatch } from './dispatch.entity.js';

/** An open dispatch whose time has come. */
export interface OverdueDispatch {
  readonly organizationId: string;
  readonly messageId: string;
}

/** What is to happen with an attempt whose message is not settled by it. */
export interface Postponement {
  readonly dispatch: Pick<Dispatch, 'organizationId' | 'messageId' | 'lease'>;
  readonly state: 'RETRY' | 'UNKNOWN';
  readonly delayMs: number;
  /** 0 for an attempt that provably never began: it does not count. */
  readonly attempts: 0 | 1;
  /** Why, as far as the upstream or we have a code for it. */
  readonly code: string | null;
  /** Which attempt it was, 1-based; null where only its row says. */
  readonly attempt: number | null;
}

/** Seconds between the last claim of a message and its expiry, so that no message is both. */
const EXPIRE_AFTER_CLAIMS_S = 60;

/** When an attempt was marked, of a row that is DISPATCHING. */
const markedAt = `due_at - make_interval(secs => ${LEASE_MS / 1_000})`;

const insertSql = statement(
  'messaging.dispatch.insert',
  `INSERT INTO dispatch (organization_id, message_id, channel_id, contact_id, recipient_phone, lease, state, due_at,
     attempts, template_parameters, job_id)
   SELECT d.organization_id, d.message_id, d.channel_id, d.contact_id, d.recipient_phone, d.lease,
     CASE WHEN NOT d.waits THEN 'DISPATCHING' WHEN d.job_id IS NULL THEN 'RETRY' ELSE 'PACED' END,
     CASE WHEN d.waits THEN now() ELSE now() + make_interval(secs => ${LEASE_MS / 1_000}) END,
     CASE WHEN d.waits THEN 0 ELSE 1 END, d.template_parameters, d.job_id
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bool[], $8::jsonb[],
     $9::text[])
     AS d(organization_id, message_id, channel_id, contact_id, recipient_phone, lease, waits, template_parameters,
       job_id)`,
);
/**
 * Only the holder of the lease may postpone, late too: it alone knows what came of its attempt. Evidence that came meanwhile
 * has removed the row. The attempt is recorded in the same statement, once however often a batch has it; that its outcome was
 * unknown, when evidence was faster too.
 */
const postponeSql = statement(
  'messaging.dispatch.postpone',
  `WITH given AS (
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::float8[], $6::int[], $7::text[], $8::int[])
       AS p(organization_id, message_id, lease, state, delay_ms, attempts, code, attempt)
   ), postponed AS (
     UPDATE dispatch d SET
       state = CASE WHEN p.state = 'RETRY' AND d.job_id IS NOT NULL THEN 'PACED' ELSE p.state END,
       due_at = now() + make_interval(secs => p.delay_ms / 1000.0), attempts = d.attempts - 1 + p.attempts
     FROM given p
     WHERE d.organization_id = p.organization_id AND d.message_id = p.message_id AND d.lease = p.lease
       AND d.state IN ('DISPATCHING', 'UNKNOWN')
     RETURNING d.organization_id, d.message_id, d.due_at, d.attempts + 1 - p.attempts AS attempt, p.attempts = 1 AS has_begun,
       CASE WHEN p.attempts = 0 THEN 'UNBEGUN' ELSE p.state END AS outcome, p.code
   ), ended AS (
     SELECT * FROM postponed
     UNION ALL
     SELECT p.organization_id, p.message_id, now() + make_interval(secs => p.delay_ms / 1000.0), p.attempt, true, p.state, p.code
     FROM given p
     WHERE p.state = 'UNKNOWN' AND p.attempt IS NOT NULL AND NOT EXISTS (
       SELECT FROM postponed d WHERE d.organization_id = p.organization_id AND d.message_id = p.message_id)
   )
   INSERT INTO attempt_outcome (${outcomeColumns})
   SELECT DISTINCT ON (e.organization_id, e.message_id, e.attempt, e.has_begun) e.organization_id, e.message_id, e.attempt,
     e.has_begun, e.outcome, e.code, coalesce(m.attempted_at, now()), now(), e.due_at
   FROM ended e JOIN message m ON m.organization_id = e.organization_id AND m.id = e.message_id${keepLatest}`,
);
/**
 * Locks no message, so it must not wait: what somebody holds is being settled, or is found the next time. The index keeps an
 * entry of every mark that is younger than the oldest snapshot: the range passes those by.
 */
const abandonSql = statement<OverdueDispatch>(
  'messaging.dispatch.abandon',
  `WITH due AS (
     SELECT organization_id, message_id, attempts, due_at FROM dispatch WHERE state = 'DISPATCHING' AND due_at <= now()
       AND due_at > now() - make_interval(secs => $3)
     ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
   ), abandoned AS (
     UPDATE dispatch d SET state = 'UNKNOWN', due_at = now() + make_interval(secs => $2)
     FROM due WHERE d.organization_id = due.organization_id AND d.message_id = due.message_id
   )
   INSERT INTO attempt_outcome (${outcomeColumns})
   SELECT organization_id, message_id, attempts, true, 'UNKNOWN', NULL, ${markedAt}, now(), now() + make_interval(secs => $2)
   FROM due${keepLatest}
   RETURNING organization_id AS "organizationId", message_id AS "messageId"`,
);
/** Locks the message and the conversation of a dispatch `d`, which is left out when somebody else holds one of them. */
export const messageIfNotLocked = `
   CROSS JOIN LATERAL (SELECT m.conversation_id FROM message m
     WHERE m.organization_id = d.organization_id AND m.id = ${inAnyMonth('d.message_id')} FOR UPDATE SKIP LOCKED) AS own
   CROSS JOIN LATERAL (SELECT FROM conversation c
     WHERE c.organization_id = d.organization_id AND c.id = own.conversation_id FOR UPDATE SKIP LOCKED) AS of_own`;
const EXPIRED = `d.organization_id AS "organizationId", d.message_id AS "messageId", d.state
     FROM dispatch d ${messageIfNotLocked}`;
/**
 * What is open past its deadline: unknown outcomes by their own, retries by the age of their message's id. Of a backup it
 * is not known whether it was sent since. Locks conversations and messages and waits for none: what another transaction
 * holds is found the next time, and takes no place of another's. A subquery that locks is planned by itself: by its key.
 * What is to be sent again is named in a way of its own, for `dispatch_age` (docs/adr/0022-planner.md).
 */
const expiredSql = statement<OverdueDispatch & { state: 'UNKNOWN' | 'RETRY' | 'PACED' }>(
  'messaging.dispatch.expired',
  `SELECT * FROM (
     SELECT ${EXPIRED} WHERE d.state = 'UNKNOWN' AND d.due_at <= now()
     UNION ALL
     SELECT ${EXPIRED} WHERE d.state || ' ' IN ('RETRY ', 'PACED ')
       AND d.message_id < cuid_floor(now() - make_interval(secs => $2 + ${EXPIRE_AFTER_CLAIMS_S}))) AS expired
   WHERE ${IS_COMPARED}
   LIMIT $1`,
);
const dispatchingSql = statement<{ found: boolean }>(
  'messaging.dispatch.is-dispatching',
  `SELECT EXISTS (SELECT FROM dispatch WHERE organization_id = $1 AND message_id = $2 AND state = 'DISPATCHING')
     AS found`,
);
/** What is to happen first with an accepted message. */
export interface FirstDispatch extends Dispatch {
  /** Sent after those of its conversation that are still to be sent, by whichever replica claims it. */
  readonly waits: boolean;
  /** Of a bulk send; it is repeated at the pace of its lane. */
  readonly lane: Pick<AttemptLane, 'jobId'> | null;
  /** With its parameters, which are kept as long as its outcome is open. */
  readonly template: AttemptTemplate | null;
}

/** Marks first attempts, in the transaction that accepts their messages, or has them wait. Travels with COMMIT. */
export function insertDispatches(tx: Transaction, dispatches: readonly FirstDispatch[]): void {
  if (dispatches.length === 0) return;
  tx.atCommit(
    insertSql,
    unnestColumns(dispatches, [
      'organizationId',
      'messageId',
      'channelId',
      'contactId',
      'recipientPhone',
      'lease',
      'waits',
      ({ template }) => template && template.parameters,
      ({ lane }) => lane && lane.jobId,
    ]),
  );
}

/**
 * Gives attempts back: to be made again, or to wait for evidence. Travels with COMMIT; the transaction holds the
 * messages' locks (`lockMessages`).
 */
export function postponeDispatches(tx: Transaction, postponements: readonly Postponement[]): void {
  if (postponements.length === 0) return;
  tx.atCommit(
    postponeSql,
    unnestColumns(postponements, [
      ({ dispatch }) => dispatch.organizationId,
      ({ dispatch }) => dispatch.messageId,
      ({ dispatch }) => dispatch.lease,
      'state',
      'delayMs',
      'attempts',
      'code',
      'attempt',
    ]),
  );
}

const YEAR_MS = 365 * 86_400_000;

/**
 * Attempts whose holder is gone wait as UNKNOWN for `waitMs` of evidence: whether they left is unknown.
 *
 * @param sinceMs how long ago their lease may have ended; a year by default
 */
export async function abandonOverdue(
  database: Database,
  limit: number,
  waitMs: number,
  sinceMs = YEAR_MS,
): Promise<OverdueDispatch[]> {
  return database.transaction(async (tx) => {
    const abandoned = await tx.query(abandonSql, [limit, waitMs / 1_000, sinceMs / 1_000]);
    await announceUnknown(tx, abandoned);
    return abandoned;
  });
}

/** Locks messages that are open past their deadline, but those that another transaction holds. */
export async function lockExpired(
  tx: Transaction,
  limit: number,
  deadlineMs: number,
): Promise<(OverdueDispatch & { state: 'UNKNOWN' | 'RETRY' | 'PACED' })[]> {
  return tx.query(expiredSql, [limit, deadlineMs / 1_000]);
}

/** Whether an attempt of the message is marked and its outcome not known yet. */
export async function isDispatching(database: Database, organizationId: string, messageId: string): Promise<boolean> {
  const [row] = await database.query(dispatchingSql, [organizationId, messageId]);
  return row?.found === true;
}

const OPEN_STATES = ['DISPATCHING', 'RETRY', 'PACED', 'UNKNOWN'];
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
