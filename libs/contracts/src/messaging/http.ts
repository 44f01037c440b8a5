import type { Cuid } from '../grammar/cuid.js';
import type { Int } from '../grammar/int.js';
import type { IsoTime } from '../grammar/iso-time.js';
import type { MessageFacts } from './message-facts.js';

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
  readonly connected: boolean;
  /** Why not; null when it is. */
  readonly error: { readonly code: string; readonly message: string } | null;
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
