import type { Actor } from '@switchboard/contracts/grammar/principal';
import { appendEvents } from '@switchboard/outbox';
import { statement, type Transaction } from '@switchboard/postgres';
import { conversationColumns, type ConversationRow } from '../conversation/conversation-view.js';
import { moveEvent, openerOf } from '../conversation/move-event.js';

/** A conversation whose snooze has just ended. */
interface WokenConversation extends ConversationRow {
  readonly organizationId: string;
  readonly eventSequence: string;
  /** When it was to end. */
  readonly dueAt: Date;
  /** By the database's clock. */
  readonly at: Date;
}

const BY: Actor = { type: 'system', name: 'wake-snoozed' };

/**
 * The first to end are the first to wake, by the partial index on `snoozed_until`. Rows that another transaction locks are left
 * to it, or to the next round: replicas never wait for each other, and no order of locks can deadlock.
 */
const wakeSql = statement<WokenConversation>(
  'messaging.conversation.wake',
  `WITH due AS (
     SELECT organization_id, id, snoozed_until FROM conversation WHERE status = 'SNOOZED' AND snoozed_until <= now()
     ORDER BY snoozed_until LIMIT $1 FOR UPDATE SKIP LOCKED
   ), woken AS (
     UPDATE conversation c SET status = 'OPEN', snoozed_until = NULL, opened_by = $2,
       event_sequence = c.event_sequence + 1
     FROM due WHERE c.organization_id = due.organization_id AND c.id = due.id
     RETURNING c.*, due.snoozed_until AS due_at
   )
   SELECT ${conversationColumns}, c.organization_id AS "organizationId", c.event_sequence AS "eventSequence",
     c.due_at AS "dueAt", now() AS at
   FROM woken c JOIN contact p ON p.organization_id = c.organization_id AND p.id = c.contact_id`,
);

/** The first entry of the same index. */
const nextSql = statement<{ inMs: number }>(
  'messaging.conversation.next-snooze',
  `SELECT (extract(epoch FROM snoozed_until - now()) * 1000)::float8 AS "inMs" FROM conversation
   WHERE status = 'SNOOZED' AND snoozed_until IS NOT NULL ORDER BY snoozed_until LIMIT 1`,
);

/** When the next snooze ends, in milliseconds from now by the database's clock; null when no conversation is snoozed. */
export async function nextSnoozeEndMs(tx: Transaction): Promise<number | null> {
  const [next] = await tx.query(nextSql, []);
  return next?.inMs ?? null;
}

/**
 * Opens conversations whose snooze has ended, at most so many, each with its event.
 *
 * @returns how late each is, in milliseconds, by the database's clock
 */
export async function wakeSnoozed(tx: Transaction, limit: number): Promise<readonly number[]> {
  const woken = await tx.query(wakeSql, [limit, openerOf(BY)]);
  appendEvents(
    tx,
    woken.map(({ organizationId, eventSequence, at, dueAt: _dueAt, ...conversation }) =>
      moveEvent({ organizationId, conversation, from: 'SNOOZED', by: BY, sequence: Number(eventSequence), at }),
    ),
  );
  return woken.map(({ at, dueAt }) => at.getTime() - dueAt.getTime());
}
