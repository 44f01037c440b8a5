import { Injectable } from '@nestjs/common';
import { cuidTime, newCuid } from '@switchboard/contracts/grammar/cuid';
import type { ConversationStatus, ConversationView } from '@switchboard/contracts/messaging/http';
import type { ListConversationsRequest } from '@switchboard/contracts/messaging/rpc';
import { Database, statement, type Transaction } from '@switchboard/postgres';

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
export interface TouchedConversation {
  readonly organizationId: string;
  readonly channelId: string;
  readonly contactId: string;
  readonly id: string;
  readonly status: ConversationStatus;
  readonly lastMessageAt: Date;
  /** True when this touch moved it into OPEN, its creation included. */
  readonly opened: boolean;
  /** The last number reserved: one for `conversation.opened` if it opened, then one per message. */
  readonly eventSequence: number;
}

/** A row of the list, and what its view is made of. */
export interface ConversationRow {
  readonly id: string;
  readonly status: ConversationStatus;
  readonly position: string;
  readonly lastMessageAt: Date | null;
  readonly channelId: string;
  readonly contactId: string;
  readonly contactName: string | null;
  readonly contactPhone: string;
  readonly contactMessagingId: string | null;
}

/**
 * Creates or moves conversations. Locks are taken in the order (organization, channel, contact), here and wherever
 * conversations are locked. `opened_by` holds the message that opened it, and so tells this touch from an earlier one.
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
     status = CASE WHEN excluded.opened_by = ANY($8::text[]) AND c.status IN ('PENDING', 'SNOOZED', 'CLOSED')
       THEN 'OPEN' ELSE c.status END,
     opened_by = CASE WHEN excluded.opened_by = ANY($8::text[]) AND c.status IN ('PENDING', 'SNOOZED', 'CLOSED')
       THEN excluded.opened_by ELSE c.opened_by END,
     event_sequence = c.event_sequence + excluded.event_sequence
       - CASE WHEN excluded.opened_by = ANY($8::text[]) AND c.status IN ('PENDING', 'SNOOZED', 'CLOSED')
         THEN 0 ELSE 1 END
   RETURNING c.organization_id AS "organizationId", c.channel_id AS "channelId", c.contact_id AS "contactId", c.id,
     c.status, c.last_message_at AS "lastMessageAt", c.event_sequence AS "eventSequence",
     c.opened_by = ANY($5::text[]) AS opened`,
);

/** A page in the order of `position`, newest first; one index per filter, one `<` for the cursor. */
const listSql = statement<ConversationRow>(
  'messaging.conversation.list',
  `SELECT c.id, c.status, c.position, c.last_message_at AS "lastMessageAt",
     c.channel_id AS "channelId", c.contact_id AS "contactId", p.name AS "contactName", p.phone AS "contactPhone",
     p.messaging_id AS "contactMessagingId"
   FROM conversation c JOIN contact p ON p.organization_id = c.organization_id AND p.id = c.contact_id
   WHERE c.organization_id = $1 AND c.position < $2
     AND ($4::text IS NULL OR c.channel_id = $4) AND ($5::text IS NULL OR c.contact_id = $5)
   ORDER BY c.position DESC LIMIT $3`,
);
const listByStatusSql = statement<ConversationRow>(
  'messaging.conversation.list-status',
  listSql.text.replace('ORDER BY', 'AND c.status = $6 ORDER BY'),
);
/** Sorts after every position. */
const FIRST_PAGE = 'd';

/** Conversations: one per channel and contact. */
@Injectable()
export class ConversationRepository {
  constructor(private readonly database: Database) {}

  /** At most `limit` rows behind the cursor, newest first. */
  async list(organizationId: string, request: ListConversationsRequest, limit: number): Promise<ConversationRow[]> {
    const { cursor, messagingChannelId, contactId, status } = request;
    const values = [organizationId, cursor ?? FIRST_PAGE, limit, messagingChannelId, contactId];
    if (status === null) return this.database.query(listSql, values);
    return this.database.query(listByStatusSql, [...values, status]);
  }
}

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
    touches.map((t) => t.organizationId),
    touches.map((t) => t.channelId),
    touches.map((t) => t.contactId),
    touches.map((t) => t.newId),
    touches.map((t) => t.lastMessageId),
    touches.map((t) => t.lastMessageAt),
    touches.map((t) => t.messages),
    touches.filter((t) => t.reopens).map((t) => t.lastMessageId),
  ]);
  return rows.map((row) => ({ ...row, eventSequence: Number(row.eventSequence) }));
}

/** The one shape of a conversation outside of this service. Source: specification, "Conversation". */
export function conversationView(row: Omit<ConversationRow, 'position'>): ConversationView {
  return {
    id: row.id,
    status: row.status,
    lastMessageAt: row.lastMessageAt?.toISOString() ?? null,
    createdAt: cuidTime(row.id).toISOString(),
    messagingChannelId: row.channelId,
    contact: {
      id: row.contactId,
      name: row.contactName,
      phone: row.contactPhone,
      messagingId: row.contactMessagingId,
    },
  };
}
