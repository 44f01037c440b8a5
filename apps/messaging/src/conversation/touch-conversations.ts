import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { statement, unnestColumns, type Transaction } from '@switchboard/postgres';
import { reopenedByInbound, type ConversationState } from './conversation-status.policy.js';

/** Messages that a conversation gains in one transaction. */
export interface ConversationTouch {
  readonly organizationId: string;
  readonly channelId: string;
  readonly contactId: string;
  /** The id it gets when it does not exist yet. */
  readonly newId: string;
  /** The newest message; its time is the conversation's new time. */
  readonly lastMessageId: string;
  readonly lastMessageAt: Date;
  readonly messages: number;
  /** An inbound message moves PENDING, SNOOZED and CLOSED to OPEN; an outbound one moves nothing. */
  readonly reopens: boolean;
}

/** A conversation after a touch, locked until the transaction ends. */
export interface TouchedConversation extends ConversationState {
  readonly organizationId: string;
  readonly channelId: string;
  readonly contactId: string;
  readonly id: string;
  readonly lastMessageAt: Date;
  /** True when this touch moved it into OPEN, its creation included. */
  readonly opened: boolean;
  /** The last number reserved: one for `conversation.opened` if it opened, then one per message. */
  readonly eventSequence: number;
}

/** True for an inbound message in a conversation that such a message reopens. */
const reopens = `(excluded.opened_by = ANY($8::text[])
  AND c.status IN (${reopenedByInbound.map((status) => `'${status}'`).join(', ')}))`;

/**
 * Creates or moves conversations. Locks are taken in the order (organization, channel, contact), here and wherever
 * conversations are locked. `opened_by` holds the message that opened it, which distinguishes this touch from an earlier one.
 */
const touchSql = statement<TouchedConversation & { eventSequence: string }>(
  'messaging.conversation.touch',
  `INSERT INTO conversation AS c (organization_id, channel_id, contact_id, id, status, position, last_message_at,
     event_sequence, opened_by)
   SELECT t.organization_id, t.channel_id, t.contact_id, t.new_id, 'OPEN',
     substr(t.last_message_id, 1, 9) || substr(t.new_id, 10), t.last_message_at, t.messages + 1, t.last_message_id
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::int[])
     AS t(organization_id, channel_id, contact_id, new_id, last_message_id, last_message_at, messages)
   ORDER BY t.organization_id, t.channel_id, t.contact_id
   ON CONFLICT (organization_id, channel_id, contact_id) DO UPDATE SET
     position = greatest(c.position, substr(excluded.position, 1, 9) || substr(c.id, 10)),
     last_message_at = greatest(c.last_message_at, excluded.last_message_at),
     status = CASE WHEN ${reopens} THEN 'OPEN' ELSE c.status END,
     snoozed_until = CASE WHEN ${reopens} THEN NULL ELSE c.snoozed_until END,
     opened_by = CASE WHEN ${reopens} THEN excluded.opened_by ELSE c.opened_by END,
     event_sequence = c.event_sequence + excluded.event_sequence - CASE WHEN ${reopens} THEN 0 ELSE 1 END
   RETURNING c.organization_id AS "organizationId", c.channel_id AS "channelId", c.contact_id AS "contactId", c.id,
     c.status, c.snoozed_until AS "snoozedUntil", c.last_message_at AS "lastMessageAt", c.event_sequence AS "eventSequence",
     c.opened_by = ANY($5::text[]) AS opened`,
);

/** `c` and eight characters of time. */
const CUID_TIME_END = 9;

/** An id for the conversation that a message creates: it carries the message's time. */
export function conversationIdFor(messageId: string): string {
  return messageId.slice(0, CUID_TIME_END) + newCuid().slice(CUID_TIME_END);
}

/** Touches conversations, at most one touch each, and reserves the numbers of their events. */
export async function touchConversations(
  tx: Transaction,
  touches: readonly ConversationTouch[],
): Promise<TouchedConversation[]> {
  if (touches.length === 0) return [];
  const rows = await tx.query(touchSql, [
    ...unnestColumns(touches, [
      'organizationId',
      'channelId',
      'contactId',
      'newId',
      'lastMessageId',
      'lastMessageAt',
      'messages',
    ]),
    touches.filter((t) => t.reopens).map((t) => t.lastMessageId),
  ]);
  return rows.map((row) => ({ ...row, eventSequence: Number(row.eventSequence) }));
}
