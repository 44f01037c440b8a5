import type { Cuid } from '../grammar/cuid.js';
import type { IsoTime } from '../grammar/iso-time.js';
/** States of a conversation. Source: docs/api-behaviour.md#conversation-status. */
export const conversationStatuses = ['OPEN', 'CLOSED', 'PENDING', 'ARCHIVED', 'SNOOZED'] as const;
/** One of `conversationStatuses`. */
export type ConversationStatus = (typeof conversationStatuses)[number];

/** States of a message as the API shows them. Source: docs/api-behaviour.md#message-status. */
export type MessageStatus = 'QUEUED' | 'SENT' | 'DELIVERED' | 'READ' | 'FAILED' | 'RECEIVED';

/** A message as the API and the events show it; every field is always present, times are ISO 8601 in UTC. */
export interface MessageView {
  readonly id: Cuid;
  readonly conversationId: Cuid;
  readonly contactId: Cuid;
  readonly messagingChannelId: Cuid;
  readonly direction: 'OUTBOUND' | 'INBOUND';
  readonly type: 'TEXT' | 'TEMPLATE' | 'UNSUPPORTED';
  readonly unsupportedType: string | null;
  readonly text: string | null;
  readonly template: { readonly id: Cuid; readonly name: string; readonly language: string } | null;
  readonly status: MessageStatus;
  readonly upstreamMessageId: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly createdAt: IsoTime;
  readonly sentAt: IsoTime | null;
  readonly deliveredAt: IsoTime | null;
  readonly readAt: IsoTime | null;
  readonly failedAt: IsoTime | null;
}

/** A conversation as the API and the events show it. Source: docs/api-behaviour.md#conversations. */
export interface ConversationView {
  readonly id: Cuid;
  readonly status: ConversationStatus;
  readonly lastMessageAt: IsoTime | null;
  readonly createdAt: IsoTime;
  /** When it returns to OPEN by itself; null unless it is SNOOZED until a time. Source: docs/api-behaviour.md#conversation-moves. */
  readonly snoozedUntil: IsoTime | null;
  readonly messagingChannelId: Cuid;
  readonly contact: {
    readonly id: Cuid;
    readonly name: string | null;
    readonly phone: string;
    readonly messagingId: string | null;
  };
}

/** The answer to `POST /v1/messages`. Source: docs/api-behaviour.md#messages-send. */
export interface SentMessageResult {
  readonly id: Cuid;
  readonly conversationId: Cuid;
  readonly contactId: Cuid;
  readonly upstreamMessageId: string | null;
}

/** A channel as the API shows it; every field is always present. Source: docs/api-behaviour.md#channels. */
export interface ChannelView {
  readonly id: Cuid;
  readonly name: string;
  /** E.164. */
  readonly phone: string;
  /** Whose adapter sends from it. */
  readonly provider: string;
  readonly businessAccountId: string;
  readonly isDefault: boolean;
  readonly status: 'CONNECTED' | 'DISCONNECTED';
  readonly createdAt: IsoTime;
}

/** A channel as other services know it. */
export interface ChannelFacts {
  readonly id: Cuid;
  readonly name: string;
  /** E.164. */
  readonly phone: string;
  readonly status: 'CONNECTED' | 'DISCONNECTED';
  readonly isDefault: boolean;
  /** ISO 3166-1 alpha-2: how numbers in national form are read. */
  readonly defaultRegion: string;
  /** The upstream's id of the account that the line belongs to. Absent only from senders of an older release. */
  readonly businessAccountId?: string;
}
