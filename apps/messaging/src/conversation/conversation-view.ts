import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { ConversationView } from '@switchboard/contracts/messaging/http';
import type { ConversationState } from './conversation-status.policy.js';

/** What a view is made of: the stored row, and what the projection of contacts holds now. */
export interface ConversationRow extends ConversationState {
  readonly id: string;
  readonly lastMessageAt: Date | null;
  readonly channelId: string;
  readonly contactId: string;
  readonly contactName: string | null;
  readonly contactPhone: string;
  readonly contactMessagingId: string | null;
}

/** Columns of a `ConversationRow`, of a conversation `c` and its contact `p`. */
export const conversationColumns = `c.id, c.status, c.snoozed_until AS "snoozedUntil",
  c.last_message_at AS "lastMessageAt", c.channel_id AS "channelId", c.contact_id AS "contactId",
  p.name AS "contactName", p.phone AS "contactPhone", p.messaging_id AS "contactMessagingId"`;

/** The one shape of a conversation outside of this service. Source: docs/api-behaviour.md#conversations. */
export function conversationView(row: ConversationRow): ConversationView {
  // A replica of the release before this one reopens without clearing the end of the snooze.
  const snoozedUntil = row.status === 'SNOOZED' ? row.snoozedUntil : null;
  return {
    id: row.id,
    status: row.status,
    lastMessageAt: row.lastMessageAt?.toISOString() ?? null,
    createdAt: cuidTime(row.id).toISOString(),
    snoozedUntil: snoozedUntil?.toISOString() ?? null,
    messagingChannelId: row.channelId,
    contact: {
      id: row.contactId,
      name: row.contactName,
      phone: row.contactPhone,
      messagingId: row.contactMessagingId,
    },
  };
}
