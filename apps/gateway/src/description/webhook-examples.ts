import type { ConversationView, MessageView } from '@switchboard/contracts/messaging/http';
import type {
  ConversationWebhook,
  MessageWebhook,
  OptOutWebhook,
  TemplateWebhook,
  TestWebhook,
} from '@switchboard/contracts/webhooks/http';
import { exampleId, exampleIds, exampleTimes } from './example-values.js';
import { conversationExample, messageExample, optOutExample, templateExample } from './examples.js';

/** The body of any event. */
export type WebhookBody = MessageWebhook | ConversationWebhook | OptOutWebhook | TemplateWebhook | TestWebhook;

/** The name of an event. Source: docs/api-behaviour.md#events-types. */
export type WebhookEvent = WebhookBody['event'];

const sent: MessageView = { ...messageExample, status: 'SENT', deliveredAt: null };

const failed: MessageView = {
  ...sent,
  status: 'FAILED',
  error: { code: '131026', message: 'Message undeliverable' },
  failedAt: exampleTimes.failed,
};

const received: MessageView = {
  ...messageExample,
  id: exampleIds.inbound,
  direction: 'INBOUND',
  text: 'Thank you! When will it be here?',
  clientReference: null,
  metadata: {},
  status: 'RECEIVED',
  upstreamMessageId: 'wamid.HBgLMTQxNTU1NTAxMjMVAgASGBQzQTlCMAA=',
  createdAt: exampleTimes.replied,
  sentAt: null,
  deliveredAt: null,
};

const { met, delivered, read, replied, optedOut, closed } = exampleTimes;

/** The body of each event as the moment of the event shows it; a unit test holds each to its event. */
export const webhookExamples: { readonly [Event in WebhookEvent]: WebhookBody & { readonly event: Event } } = {
  'message.received': ofMessage('message.received', replied, 16, received),
  'message.sent': ofMessage('message.sent', exampleTimes.sent, 12, sent),
  'message.delivered': ofMessage('message.delivered', delivered, 13, messageExample),
  'message.read': ofMessage('message.read', read, 14, { ...messageExample, status: 'READ', readAt: read }),
  'message.failed': ofMessage('message.failed', exampleTimes.failed, 13, failed),
  'conversation.opened': ofConversation('conversation.opened', replied, 15, conversationExample),
  'conversation.closed': ofConversation('conversation.closed', closed, 17, {
    ...conversationExample,
    status: 'CLOSED',
  }),
  'optout.created': {
    event: 'optout.created',
    ...at(optedOut),
    data: { id: eventId(optedOut, 0), messagingChannelId: exampleIds.channel, optOut: optOutExample },
  },
  'template.status_updated': {
    event: 'template.status_updated',
    ...at(met),
    data: { id: eventId(met, 0), template: templateExample },
  },
  'webhook.test': { event: 'webhook.test', ...at(closed), data: { id: eventId(closed, 0) } },
};

function ofMessage<Event extends MessageWebhook['event']>(
  event: Event,
  timestamp: string,
  sequence: number,
  message: MessageView,
): MessageWebhook & { readonly event: Event } {
  return { event, ...at(timestamp), data: { id: eventId(timestamp, sequence), sequence, message } };
}

function ofConversation<Event extends ConversationWebhook['event']>(
  event: Event,
  timestamp: string,
  sequence: number,
  conversation: ConversationView,
): ConversationWebhook & { readonly event: Event } {
  return { event, ...at(timestamp), data: { id: eventId(timestamp, sequence), sequence, conversation } };
}

function at(timestamp: string): { readonly timestamp: string; readonly organizationId: string } {
  return { timestamp, organizationId: exampleIds.organization };
}

/** @param number distinguishes events of one moment */
function eventId(timestamp: string, number: number): string {
  return exampleId(timestamp, `e1v5e9n3t7i2d6${String(number).padStart(2, '0')}`);
}
