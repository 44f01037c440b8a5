import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { conversationOpened, messageAccepted } from '@switchboard/contracts/messaging/events';
import type { NewEvent } from '@switchboard/outbox';
import type { Transaction } from '@switchboard/postgres';
import { conversationView } from '../conversation/conversation-view.js';
import {
  conversationIdFor,
  touchConversations,
  type ConversationTouch,
  type TouchedConversation,
} from '../conversation/touch-conversations.js';
import type { Candidate } from './judge-messages.repository.js';
import { messageEventData } from './message-view.js';
import type { NewMessage } from './message.repository.js';

/** An outbound message that has passed every check. */
export interface PassedMessage<Item> {
  readonly item: Item;
  readonly candidate: Candidate;
}

/** What of a message its conversation does not know. */
export type MessageContent = Pick<
  NewMessage,
  'id' | 'type' | 'text' | 'template' | 'clientReference' | 'metadata' | 'jobId' | 'recipientIndex' | 'traceparent'
>;

/** A message with the conversation it went into. */
export interface EnteredMessage<Item> extends PassedMessage<Item> {
  readonly message: NewMessage;
  readonly conversation: TouchedConversation;
  readonly sequence: number;
}

interface Entering<Item> extends PassedMessage<Item> {
  readonly content: MessageContent;
}

/** Groups what passed by conversation, touches each once, and numbers its messages in the order given. */
export async function enterConversations<Item extends { readonly organizationId: string }>(
  tx: Transaction,
  passed: readonly PassedMessage<Item>[],
  contentOf: (item: Item) => MessageContent,
): Promise<EnteredMessage<Item>[]> {
  const entering = passed.map((one) => ({ ...one, content: contentOf(one.item) }));
  const groups = Map.groupBy(entering, ({ item, candidate }) =>
    conversationKey(item.organizationId, candidate.channelId, candidate.contactId),
  );
  const conversations = await touchConversations(tx, [...groups.values()].flatMap(touchOf));
  return conversations.flatMap((conversation) => {
    const { organizationId, channelId, contactId, eventSequence } = conversation;
    const group = groups.get(conversationKey(organizationId, channelId, contactId)) ?? [];
    return group.map(({ item, candidate, content }, index) => ({
      item,
      candidate,
      conversation,
      sequence: eventSequence - group.length + index + 1,
      message: {
        organizationId,
        conversationId: conversation.id,
        contactId,
        channelId,
        direction: 'OUTBOUND' as const,
        unsupportedType: null,
        status: 'QUEUED' as const,
        upstreamMessageId: null,
        ...content,
      },
    }));
  });
}

function touchOf<Item extends { readonly organizationId: string }>(
  group: readonly Entering<Item>[],
): ConversationTouch[] {
  const [first] = group;
  if (!first) return [];
  const lastMessageId = group.reduce((last, { content }) => (content.id > last ? content.id : last), '');
  return [
    {
      organizationId: first.item.organizationId,
      channelId: first.candidate.channelId,
      contactId: first.candidate.contactId,
      newId: conversationIdFor(lastMessageId),
      lastMessageId,
      lastMessageAt: cuidTime(lastMessageId),
      messages: group.length,
      reopens: false,
    },
  ];
}

function conversationKey(organizationId: string, channelId: string, contactId: string): string {
  return `${organizationId} ${channelId} ${contactId}`;
}

/** `conversation.opened` comes before the message that opened it. */
export function acceptedEventsOf<Item>({
  candidate,
  message,
  conversation,
  sequence,
}: EnteredMessage<Item>): NewEvent<unknown>[] {
  const common = {
    organizationId: message.organizationId,
    aggregateId: conversation.id,
    occurredAt: cuidTime(message.id),
    traceparent: message.traceparent,
  };
  const stored = { ...message, errorCode: null, errorMessage: null, attemptedAt: null, sentAt: null };
  const data = messageEventData({ ...stored, deliveredAt: null, readAt: null, failedAt: null });
  const accepted: NewEvent<unknown> = { ...common, event: messageAccepted, sequence, data };
  // Created just now: its opening is event 1, and its first message event 2.
  if (!conversation.opened || sequence !== 2) return [accepted];
  const opened = { conversation: conversationView({ ...conversation, ...candidate, id: conversation.id }) };
  return [{ ...common, event: conversationOpened, sequence: sequence - 1, data: opened }, accepted];
}
