import { statement, type Queryable, type Transaction, unnestColumns } from '@switchboard/postgres';
import type { ProgressFact } from '../message/message-progress.policy.js';
import type { StatusReport } from './take-statuses.js';

/** A status whose message was not known when it was last looked for. */
export interface WaitingStatus extends StatusReport {
  /** So often. */
  readonly looks: number;
}

/**
 * From one look to the next: 5 s in all. An answer of the upstream is recorded within a second, and behind a lock within 5.
 *
 * Looks count, not the time since the first: an outage lengthens that, and behind it the record of a send may come later than a
 * status of it.
 */
const LOOKS_APART_MS = [250, 1_250, 3_500] as const;

const insertSql = statement(
  'messaging.waiting-status.insert',
  `INSERT INTO waiting_status (event_id, organization_id, channel_id, upstream_message_id, message_id, fact, traceparent, looks, due_at)
   SELECT event_id, organization_id, channel_id, upstream_message_id, message_id, fact, traceparent, looks,
     now() + make_interval(secs => pause_ms / 1000.0)
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::int[])
     AS t(event_id, organization_id, channel_id, upstream_message_id, message_id, fact, traceparent, looks, pause_ms)
   ON CONFLICT DO NOTHING`,
);
/** The rows of some seconds: an index would save nothing. */
const nextSql = statement<{ organizationId: string; inMs: number }>(
  'messaging.waiting-status.next',
  `SELECT organization_id AS "organizationId", extract(epoch FROM min(due_at) - now())::float8 * 1000 AS "inMs"
   FROM waiting_status WHERE organization_id <> ALL($1::text[]) GROUP BY organization_id ORDER BY min(due_at)`,
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
 * @returns those that were looked for long enough: they are not kept
 */
export function setAside(tx: Transaction, statuses: readonly WaitingStatus[]): WaitingStatus[] {
  const { given = [], kept = [] } = Object.groupBy(statuses, ({ looks }) =>
    LOOKS_APART_MS[looks - 1] === undefined ? 'given' : 'kept',
  );
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
