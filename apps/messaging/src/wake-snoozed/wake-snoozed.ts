import type { Actor } from '@switchboard/contracts/grammar/principal';
import { appendEvents } from '@switchboard/outbox';
import { floorAt, isAbove, statement, type Transaction } from '@switchboard/postgres';
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

/** The snooze that ends next. */
export interface NextSnooze {
  /** Until its end, in milliseconds from now by the database's clock; null when no conversation is snoozed. */
  readonly inMs: number | null;
  /** No snooze ends before, by the database's clock: see `LookFloor`. */
  readonly floorMs: number;
}

const BY: Actor = { type: 'system', name: 'wake-snoozed' };

/**
 * The first to end are the first to wake, by the partial index on `snoozed_until`. Rows that another transaction locks are left
 * to it, or to the next round: replicas never wait for each other, and no order of locks can deadlock. Behind an old snapshot the
 * index keeps the snoozes that have ended: those are passed by below the floor.
 */
const wakeSql = statement<WokenConversation>(
  'messaging.conversation.wake',
  `WITH due AS (
     SELECT organization_id, id, snoozed_until FROM conversation
     WHERE status = 'SNOOZED' AND snoozed_until <= now() AND ${isAbove('$3', 'snoozed_until')}
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

/** The first entry of the same index above the floor, be it locked or not. */
const nextSql = statement<NextSnooze>(
  'messaging.conversation.next-snooze',
  `SELECT (extract(epoch FROM first.at - now()) * 1000)::float8 AS "inMs", ${floorAt('first.at')} AS "floorMs"
   FROM (SELECT (
     SELECT snoozed_until FROM conversation
     WHERE status = 'SNOOZED' AND snoozed_until IS NOT NULL AND ${isAbove('$1', 'snoozed_until')}
     ORDER BY snoozed_until LIMIT 1) AS at) AS first`,
);

/** @param floorMs of the last look; minus infinity by default */
export async function nextSnooze(tx: Transaction, floorMs = -Infinity): Promise<NextSnooze> {
  const [next] = await tx.query(nextSql, [floorMs]);
  if (!next) throw new Error('messaging.conversation.next-snooze returned no row');
  return next;
}

/**
 * Opens conversations whose snooze has ended, at most so many, each with its event.
 *
 * @param floorMs of the last look; minus infinity by default
 * @returns how late each is, in milliseconds, by the database's clock
 */
export async function wakeSnoozed(tx: Transaction, limit: number, floorMs = -Infinity): Promise<readonly number[]> {
  const woken = await tx.query(wakeSql, [limit, openerOf(BY), floorMs]);
  appendEvents(
    tx,
    woken.map(({ organizationId, eventSequence, at, dueAt: _dueAt, ...conversation }) =>
      moveEvent({ organizationId, conversation, from: 'SNOOZED', by: BY, sequence: Number(eventSequence), at }),
    ),
  );
  return woken.map(({ at, dueAt }) => at.getTime() - dueAt.getTime());
}
