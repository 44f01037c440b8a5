import type { Cuid } from '../grammar/cuid.js';
import { defineEvent } from '../grammar/define-event.js';
import type { Actor } from '../grammar/principal.js';
import type { Int } from '../grammar/int.js';
import type { ChannelFacts, ConversationStatus, ConversationView } from './http.js';
import type { MessageFacts } from './message-facts.js';

/** The message in full, as the API shows it at that moment. */
export interface MessageEventData {
  readonly message: MessageFacts;
  /** From 0: which recipient of the message's job it went to; absent for a message of no job. Never shown outside. */
  readonly recipientIndex?: Int;
}

/** The conversation in full, as the API shows it at that moment. */
export interface ConversationEventData {
  readonly conversation: ConversationView;
  /** Who moved it, and from where; absent where a message created or reopened it. Never shown outside. */
  readonly change?: { readonly from: ConversationStatus; readonly by: Actor };
}

/** An outbound message is stored and will be handed to the upstream. @aggregate conversation, counted */
export const messageAccepted = defineEvent<MessageEventData>('messaging', 'message.accepted', 1);
/** The upstream took an outbound message. @aggregate conversation, counted */
export const messageSent = defineEvent<MessageEventData>('messaging', 'message.sent', 1);
/** The upstream confirmed the delivery to the recipient's device. @aggregate conversation, counted */
export const messageDelivered = defineEvent<MessageEventData>('messaging', 'message.delivered', 1);
/** The recipient opened the message. @aggregate conversation, counted */
export const messageRead = defineEvent<MessageEventData>('messaging', 'message.read', 1);
/** The upstream refused the message, or its outcome stayed unknown. @aggregate conversation, counted */
export const messageFailed = defineEvent<MessageEventData>('messaging', 'message.failed', 1);
/**
 * What is shown of an outbound message changed without a further stage: an earlier time of one became known, or the failure
 * that holds. For read models; nothing outside is called because of it.
 *
 * @aggregate conversation, counted
 */
export const messageCorrected = defineEvent<MessageEventData>('messaging', 'message.corrected', 1);
/** An inbound message arrived from a contact. @aggregate conversation, counted */
export const messageReceived = defineEvent<MessageEventData>('messaging', 'message.received', 1);
/** A conversation entered OPEN, its creation included. @aggregate conversation, counted */
export const conversationOpened = defineEvent<ConversationEventData>('messaging', 'conversation.opened', 1);
/** A conversation entered CLOSED. @aggregate conversation, counted */
export const conversationClosed = defineEvent<ConversationEventData>('messaging', 'conversation.closed', 1);
/**
 * A conversation entered PENDING, SNOOZED or ARCHIVED, or its snooze got another end.
 *
 * @aggregate conversation, counted
 */
export const conversationUpdated = defineEvent<ConversationEventData>('messaging', 'conversation.updated', 1);
/**
 * The upstream reported that a contact opted out on a channel; sends are suppressed already.
 *
 * @aggregate contact
 */
export const optOutObserved = defineEvent<{
  readonly contactId: Cuid;
  readonly messagingChannelId: Cuid;
  readonly source: 'UPSTREAM';
}>('messaging', 'opt-out.observed', 1);
/**
 * A channel was connected, or anything of it changed; carries all of it, the newest event (by its id) is how it is.
 *
 * @aggregate channel
 */
export const channelChanged = defineEvent<{ readonly channel: ChannelFacts }>('messaging', 'channel.changed', 1);
