import type { Cuid } from '../grammar/cuid.js';
import type { Int } from '../grammar/int.js';
import type { IsoTime } from '../grammar/iso-time.js';
import type { MessageFacts } from './message-facts.js';
import type { TimelineItem } from './timeline.js';

/** States of a conversation. Source: docs/api-behaviour.md#conversation-status. */
export const conversationStatuses = ['OPEN', 'CLOSED', 'PENDING', 'ARCHIVED', 'SNOOZED'] as const;
/** One of `conversationStatuses`. */
export type ConversationStatus = (typeof conversationStatuses)[number];

/** A message as the API and the webhooks show it; every field is always present, times are ISO 8601 in UTC. */
export interface MessageView extends MessageFacts {
  readonly id: Cuid;
  /** Your own name for it; neither unique nor sent to the contact. */
  readonly clientReference: string | null;
  /** Your own notes, never sent to the contact; `{}` when there are none. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The bulk send that it belongs to; null for a single send and an inbound message. */
  readonly jobId: Cuid | null;
}

/** Every step of a message, the first one first. Source: docs/api-behaviour.md#timeline. */
export interface MessageTimelineView {
  /** The steps so far. */
  readonly items: readonly TimelineItem[];
}

/** A conversation as the API and the events show it. Source: docs/api-behaviour.md#conversations. */
export interface ConversationView {
  /** The id of the conversation. */
  readonly id: Cuid;
  /** The status of the conversation in the inbox. */
  readonly status: ConversationStatus;
  /** When its newest message was accepted or came in; null before the first. */
  readonly lastMessageAt: IsoTime | null;
  /** When its first message created it. */
  readonly createdAt: IsoTime;
  /** When it returns to OPEN by itself; null unless it is SNOOZED until a time. Source: docs/api-behaviour.md#conversation-moves. */
  readonly snoozedUntil: IsoTime | null;
  /** The channel of the conversation. */
  readonly messagingChannelId: Cuid;
  /** The other side, with its current name and number. */
  readonly contact: {
    /** The id of the contact. */
    readonly id: Cuid;
    /** The current name of the contact; null when it has none. */
    readonly name: string | null;
    /** The number of the contact in E.164; empty for a sender whom the upstream names only by an id. */
    readonly phone: string;
    /** The upstream provider's id of the contact; null while it has none. */
    readonly messagingId: string | null;
  };
}

/** The answer to `POST /v1/messages`. Source: docs/api-behaviour.md#messages-send. */
export interface SentMessageResult {
  /** The id of the message: `GET /v1/messages/{id}` reads it. */
  readonly id: Cuid;
  /** The conversation that it belongs to. */
  readonly conversationId: Cuid;
  /** The contact that it is sent to; created when the number was new. */
  readonly contactId: Cuid;
  /** The upstream provider's id of it; null while the message is QUEUED: it is settled in the background. */
  readonly upstreamMessageId: string | null;
}

/** A channel as the API shows it; every field is always present. Source: docs/api-behaviour.md#channels. */
export interface ChannelView {
  /** The id of the channel: what `messagingChannelId` names. */
  readonly id: Cuid;
  /** The verified name of the line. */
  readonly name: string;
  /** E.164. */
  readonly phone: string;
  /** The provider. */
  readonly provider: string;
  /** The upstream provider's id of the business account that the line belongs to. */
  readonly businessAccountId: string;
  /** Whether it is used where `messagingChannelId` is left out. */
  readonly isDefault: boolean;
  /** Whether messages can be sent from it. */
  readonly status: 'CONNECTED' | 'DISCONNECTED';
  /** When it was first connected. */
  readonly createdAt: IsoTime;
}

/** A channel as the application shows it, without its access token. Source: docs/api-behaviour.md#app-channels. */
export interface ManagedChannelView extends ChannelView {
  readonly id: Cuid;
  /** The upstream's id of the line. */
  readonly phoneNumberId: string;
  /** ISO 3166-1 alpha-2: how numbers in national form are read. */
  readonly defaultRegion: string;
  /** Words that opt out on it in addition to the common ones. */
  readonly optOutKeywords: readonly string[];
}

/** What the upstream said to the access token of a channel. Source: docs/api-behaviour.md#app-channels. */
export interface ChannelTestResult {
  /** Whether the upstream provider accepted the token. */
  readonly connected: boolean;
  /** The reason when it is not; else null. */
  readonly error: {
    /** The code of the upstream provider, or one of ours. */
    readonly code: string;
    /** The failure in words. */
    readonly message: string;
  } | null;
  /** How long the provider took, in milliseconds. */
  readonly durationMs: Int;
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
