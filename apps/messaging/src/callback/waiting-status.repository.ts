import { statement, type Queryable, type Transaction, unnestColumns } from '@switchboard/postgres';
import type { ProgressFact } from '../message/message-progress.policy.js';
import type { StatusReport } from './take-statuses.js';

/** A status whose message was not known when it was last looked for. */
export interface WaitingStatus extends StatusReport {
  /** So often. */
  readonly looks: number;
}

/**
 * From one look to the next: 65 s in all. An answer of the upstream is recorded within a second, behind a lock as long as that is
 * held, and after an outage of the database up to 10 s later (`BackoffLoop`).
 *
 * Looks count, not the time since the first: an outage lengthens that, and behind it the record of a send may come later than a
 * status of it.
 */
const LOOKS_APART_MS = [250, 1_250, 3_500, 10_000, 20_000, 30_000] as const;
/** Looks, 5 s in all, that a status has although many of its organization wait. */
const LOOKS_AMONG_MANY = 3;
/** So many of an organization are many: what is looked for longer is given up. */
const MANY = 10_000;
/** Of one organization, at most: no more are set aside. */
const WAITING_MAX = 40_000;

const insertSql = statement(
  'messaging.waiting-status.insert',
  `INSERT INTO waiting_status (event_id, organization_id, channel_id, upstream_message_id, message_id, fact, traceparent, looks, due_at)
   SELECT event_id, organization_id, channel_id, upstream_message_id, message_id, fact, traceparent, looks,
     now() + make_interval(secs => pause_ms / 1000.0)
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::int[])
     AS t(event_id, organization_id, channel_id, upstream_message_id, message_id, fact, traceparent, looks, pause_ms)
   ON CONFLICT DO NOTHING`,
);
/** A walk from organization to organization along `waiting_status_due`: one probe each, whatever waits of it. */
const nextSql = statement<{ organizationId: string; inMs: number }>(
  'messaging.waiting-status.next',
  `WITH RECURSIVE first AS (
     (SELECT organization_id, due_at FROM waiting_status ORDER BY organization_id, due_at LIMIT 1)
     UNION ALL
     SELECT next.organization_id, next.due_at
     FROM first CROSS JOIN LATERAL (
       SELECT w.organization_id, w.due_at FROM waiting_status w WHERE w.organization_id > first.organization_id
       ORDER BY w.organization_id, w.due_at LIMIT 1) AS next
   )
   SELECT organization_id AS "organizationId", extract(epoch FROM due_at - now())::float8 * 1000 AS "inMs"
   FROM first WHERE organization_id <> ALL($1::text[]) ORDER BY due_at`,
);
/** Counts no further than to the bound. */
const countSql = statement<{ organizationId: string; waiting: number }>(
  'messaging.waiting-status.count',
  `SELECT own.organization_id AS "organizationId", (
     SELECT count(*)::int FROM (
       SELECT FROM waiting_status w WHERE w.organization_id = own.organization_id LIMIT $2) AS kept) AS waiting
   FROM unnest($1::text[]) AS own(organization_id)`,
);
/** By `waiting_status_due`, the longest due first; what another replica holds is its own. */
const takeDueSql = statement<Omit<WaitingStatus, 'fact'> & { readonly fact: string }>(
  'messaging.waiting-status.take-due',
  `WITH due AS MATERIALIZED (
     SELECT event_id FROM waiting_status WHERE organization_id = $1 AND due_at <= now()
     ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
   DELETE FROM waiting_status w WHERE w.event_id = ANY(ARRAY(SELECT event_id FROM due))
   RETURNING w.event_id AS "eventId", w.organization_id AS "organizationId", w.channel_id AS "channelId",
     w.upstream_message_id AS "upstreamMessageId", w.message_id AS "messageId", w.fact, w.traceparent, w.looks`,
);

/**
 * Sets statuses aside that were looked for in vain, to be looked for again, with the transaction's COMMIT.
 *
 * An organization with many of them has fewer looks at each, and no more than a bound: none of another's are given up for them.
 *
 * @returns those that are given up
 */
export async function setAside(tx: Transaction, statuses: readonly WaitingStatus[]): Promise<WaitingStatus[]> {
  const room = await roomOf(tx, statuses);
  const { given = [], kept = [] } = Object.groupBy(statuses, (status) => (room.take(status) ? 'kept' : 'given'));
  if (kept.length > 0) {
    tx.atCommit(
      insertSql,
      unnestColumns(kept, [
        'eventId',
        'organizationId',
        'channelId',
        'upstreamMessageId',
        'messageId',
        ({ fact }) => JSON.stringify(fact),
        'traceparent',
        'looks',
        ({ looks }) => LOOKS_APART_MS[looks - 1],
      ]),
    );
  }
  return given;
}

async function roomOf(
  tx: Transaction,
  statuses: readonly WaitingStatus[],
): Promise<{ take(status: WaitingStatus): boolean }> {
  const organizations = [...new Set(statuses.map(({ organizationId }) => organizationId))];
  const counts = organizations.length === 0 ? [] : await tx.query(countSql, [organizations, WAITING_MAX]);
  const waiting = new Map(counts.map((row) => [row.organizationId, row.waiting]));
  const take = ({ organizationId, looks }: WaitingStatus): boolean => {
    const others = waiting.get(organizationId) ?? 0;
    const isLate = looks > LOOKS_AMONG_MANY;
    if (LOOKS_APART_MS[looks - 1] === undefined || others >= (isLate ? MANY : WAITING_MAX)) return false;
    waiting.set(organizationId, others + 1);
    return true;
  };
  return { take };
}

/** Organizations with statuses that wait, and when each has to be looked at next; negative when it is due. */
export function nextLooks(
  database: Queryable,
  leftAlone: readonly string[],
): Promise<{ organizationId: string; inMs: number }[]> {
  return database.query(nextSql, [leftAlone]);
}

/** Takes an organization's statuses that are due out of the table. @returns `max` at most */
export async function takeDue(tx: Transaction, organizationId: string, max: number): Promise<WaitingStatus[]> {
  const rows = await tx.query(takeDueSql, [organizationId, max]);
  return rows.map((row) => ({ ...row, fact: factOf(row.fact) }));
}

function factOf(text: string): ProgressFact {
  const fact = JSON.parse(text) as ProgressFact;
  return 'at' in fact ? { ...fact, at: new Date(fact.at) } : fact;
}
