import { defineRpc } from '../grammar/define-rpc.js';
import type { ConversationStatus, ConversationView, MessageView, Page, SentMessageResult } from './http.js';

/** A text to send; the gateway mints `messageId`, so that asking again by it never sends twice. */
export interface SendMessageRequest {
  readonly messageId: string;
  /** As the caller wrote it, 3 to 32 characters. */
  readonly to: string;
  readonly text: string;
  readonly messagingChannelId: string | null;
}

/**
 * Accepts a text, hands it to the upstream and answers what came of it.
 *
 * Idempotent by `messageId`: repeated, it answers what became of the first.
 * The deadline covers the upstream's 5 s and our own two commits.
 */
export const sendMessageRpc = defineRpc<SendMessageRequest, SentMessageResult>('messaging', 'send-message', {
  deadlineMs: 8_000,
});

/** One message of the organization. @throws MESSAGE_NOT_FOUND */
export const getMessageRpc = defineRpc<{ readonly id: string }, MessageView>('messaging', 'get-message', {
  deadlineMs: 5_000,
});

/** A page of conversations; null stands for no filter. */
export interface ListConversationsRequest {
  /** 1 to 100. */
  readonly limit: number;
  readonly cursor: string | null;
  readonly status: ConversationStatus | null;
  readonly messagingChannelId: string | null;
  readonly contactId: string | null;
}

/** Conversations of the organization, the last moved first. */
export const listConversationsRpc = defineRpc<ListConversationsRequest, Page<ConversationView>>(
  'messaging',
  'list-conversations',
  { deadlineMs: 5_000 },
);
