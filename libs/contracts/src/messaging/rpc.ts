import type { Cuid } from '../grammar/cuid.js';
import type { ContactFacts, ErasedNumbers } from '../contacts/rpc.js';
import { defineRpc } from '../grammar/define-rpc.js';
import type { KeyedRequest } from '../grammar/keyed-request.js';
import type { Int } from '../grammar/int.js';
import type { IsoTime } from '../grammar/iso-time.js';
import type { Page } from '../grammar/page.js';
import type { ChannelFacts, ChannelView, ConversationStatus, ConversationView, SentMessageResult } from './http.js';
import type { MessageFacts, MessageStatus } from './message-facts.js';

/** A text to send; the gateway mints `messageId`, so that asking again by it never sends twice. */
export interface SendMessageRequest {
  readonly messageId: Cuid;
  /** As the caller wrote it, 3 to 32 characters. */
  readonly to: string;
  readonly text: string;
  readonly messagingChannelId: Cuid | null;
  /** What the organization may send in a UTC month, as it stood when the request was let in; absent: counted only. */
  readonly messagesPerMonth?: number;
  /** 1 to 128 characters. */
  readonly clientReference?: string | null;
  /** At most 16 of them: names of 1 to 40 characters, values of up to 500. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * Accepts a text, hands it to the upstream and answers what came of it.
 *
 * Idempotent by `messageId`: repeated, it answers with the outcome of the first.
 * The deadline covers the upstream's 5 s and our own two commits.
 */
export const sendMessageRpc = defineRpc<SendMessageRequest, SentMessageResult>('messaging', 'send-message', {
  deadlineMs: 8_000,
});

/** A text to send that may be asked for several times, by requests that name the same key. */
export interface SendMessageOnceRequest extends KeyedRequest {
  /** Of the message that there will be unless the key has one. */
  readonly messageId: Cuid;
  /** Of the body's bytes: keys that an earlier release stored are known by them. */
  readonly bodyBytesSha256?: string;
  /** Null when the edge refuses the content: only an answer that was given before is asked for. */
  readonly content: Omit<SendMessageRequest, 'messageId'> | null;
}

/** What the first request with a key was answered, to the byte. */
export interface AnswerOnce {
  /** Of HTTP: 200, or a refusal of the message after it was stored. */
  readonly status: number;
  /** JSON text. */
  readonly body: string;
  /** Of the upstream provider, in a refusal that repeats its own: `X-Upstream-Code`. */
  readonly upstreamCode?: string;
  readonly messageId: Cuid;
  /** False for the request whose message it is, however often its rpc is repeated. */
  readonly isReplay: boolean;
}

/**
 * `send-message` under an idempotency key: what is stored is answered as the first request was, for 24 hours.
 *
 * Idempotent by `messageId` too. The answer is null when there is none and no content to make one of.
 * Source: docs/api-behaviour.md#idempotency.
 *
 * @throws as `send-message`, while nothing is stored; CONFLICT for another body, and while the first is in flight
 */
export const sendMessageOnceRpc = defineRpc<SendMessageOnceRequest, { readonly answer: AnswerOnce | null }>(
  'messaging',
  'send-message-once',
  { deadlineMs: 8_000 },
);

/** What an organization has used of its messages of a month. */
export interface QuotaUse {
  /** The current month in UTC, by messaging's database: `YYYY-MM`. */
  readonly month: string;
  /** Messages accepted, whatever became of them. */
  readonly used: number;
}

/** How much of this month's quota the organization has used. */
export const getQuotaRpc = defineRpc<Record<string, never>, QuotaUse>('messaging', 'get-quota', { deadlineMs: 5_000 });

/** One message of the organization. @throws MESSAGE_NOT_FOUND */
export const getMessageRpc = defineRpc<{ readonly id: Cuid }, MessageFacts>('messaging', 'get-message', {
  deadlineMs: 5_000,
});

/** A page of conversations; null stands for no filter. */
export interface ListConversationsRequest {
  /** 1 to 100. */
  readonly limit: number;
  readonly cursor: string | null;
  readonly status: ConversationStatus | null;
  readonly messagingChannelId: Cuid | null;
  readonly contactId: Cuid | null;
}

/** Conversations of the organization, the last moved first; none where a filter names what does not exist. */
export const listConversationsRpc = defineRpc<ListConversationsRequest, Page<ConversationView>>(
  'messaging',
  'list-conversations',
  { deadlineMs: 5_000 },
);

/** One conversation of the organization. @throws CONVERSATION_NOT_FOUND */
export const getConversationRpc = defineRpc<{ readonly id: string }, ConversationView>(
  'messaging',
  'get-conversation',
  { deadlineMs: 5_000 },
);

/** A conversation to be moved by hand. */
export interface ChangeConversationRequest {
  readonly id: string;
  readonly status: ConversationStatus;
  /** ISO 8601 in UTC, with SNOOZED alone; null: until an inbound message. */
  readonly snoozedUntil: string | null;
}

/**
 * Moves a conversation; one that is as asked for already stays as it is.
 *
 * @throws CONVERSATION_NOT_FOUND; INVALID_TRANSITION; VALIDATION_FAILED when `snoozedUntil` has passed
 */
export const changeConversationRpc = defineRpc<ChangeConversationRequest, ConversationView>(
  'messaging',
  'change-conversation',
  { deadlineMs: 6_000 },
);

/** A page of a conversation's messages. */
export interface ListMessagesRequest {
  readonly conversationId: string;
  /** 1 to 100. */
  readonly limit: number;
  readonly cursor: string | null;
}

/**
 * Messages of one conversation, newest first.
 *
 * The answer fits into one message of the broker: it may hold fewer than `limit` with a `nextCursor`, never none.
 *
 * @throws CONVERSATION_NOT_FOUND
 */
export const listMessagesRpc = defineRpc<ListMessagesRequest, Page<MessageFacts>>('messaging', 'list-messages', {
  deadlineMs: 5_000,
});

/** A page of an organization's messages; null stands for no filter. */
export interface FindMessagesRequest {
  /** 1 to 100. */
  readonly limit: Int;
  readonly cursor: Cuid | null;
  readonly status: MessageStatus | null;
  readonly direction: MessageFacts['direction'] | null;
  readonly conversationId: Cuid | null;
  readonly contactId: Cuid | null;
  readonly messagingChannelId: Cuid | null;
  readonly jobId: Cuid | null;
  readonly clientReference: string | null;
  /** Inclusive. */
  readonly createdFrom: IsoTime | null;
  /** Exclusive. */
  readonly createdBefore: IsoTime | null;
}

/**
 * Messages of the organization, newest first; none where a filter names what is not there.
 *
 * The answer fits into one message of the broker, as that of `list-messages`.
 */
export const findMessagesRpc = defineRpc<FindMessagesRequest, Page<MessageFacts>>('messaging', 'find-messages', {
  deadlineMs: 5_000,
});

/** Channels of the organization, newest first. */
export const listChannelsRpc = defineRpc<{ readonly limit: number; readonly cursor: string | null }, Page<ChannelView>>(
  'messaging',
  'list-channels',
  { deadlineMs: 5_000 },
);

/** One channel of the organization; null asks for the default one. @throws CHANNEL_NOT_FOUND */
export const getChannelRpc = defineRpc<{ readonly id: Cuid | null }, { readonly channel: ChannelFacts }>(
  'messaging',
  'get-channel',
  { deadlineMs: 3_000 },
);

/** A contact with its opt-outs, and those that were merged into it. */
export interface SuppressionFacts {
  readonly contact: ContactFacts;
  /** Judged by the same opt-outs; absent: none. */
  readonly merged?: readonly ContactFacts[];
}

/**
 * The fence of opt-outs: makes a contact's facts, its opt-outs among them, what every send is judged by.
 *
 * It returns only when no send that begins later can pass an opt-out of these facts, whatever was queued or claimed; a
 * request that is at the upstream already may finish. Idempotent: facts older than those known change nothing. Contacts
 * calls it after its commit and before it answers its caller; the same facts come by `contacts.contact.changed` as well.
 */
export const applySuppressionsRpc = defineRpc<SuppressionFacts, Record<string, never>>(
  'messaging',
  'apply-suppressions',
  { deadlineMs: 6_000 },
);

/** A contact that is erased. */
export interface ContactToForget {
  readonly contactId: Cuid;
  /** Above every version that the contact ever had. */
  readonly version: Int;
  /** What its bulk recipients are found by; absent only from senders of an older release. */
  readonly names?: Omit<ErasedNumbers, 'upstreamUserIds'> & { readonly erasedAt: IsoTime };
}

/**
 * The fence of erasures: forgets who a contact was and takes what waits for it out of the lanes of bulk sends, so that no send
 * that begins later is to it.
 *
 * Idempotent. Contacts calls it after its commit and before it answers its caller; what is stored of the contact is overwritten
 * after `contacts.contact.erased`, by which messaging forgets the contact as well.
 */
export const forgetContactRpc = defineRpc<ContactToForget, Record<string, never>>('messaging', 'forget-contact', {
  deadlineMs: 6_000,
});
