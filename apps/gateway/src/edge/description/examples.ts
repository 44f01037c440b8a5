import type { ContactView, OptOutView } from '@switchboard/contracts/contacts/http';
import type { PingView } from '@switchboard/contracts/gateway/http';
import type {
  ChannelView,
  ConversationView,
  MessageView,
  SentMessageResult,
} from '@switchboard/contracts/messaging/http';
import type {
  ConversationWebhook,
  MessageWebhook,
  OptOutWebhook,
  TemplateView,
  TemplateWebhook,
  TestWebhook,
} from '@switchboard/contracts/webhooks/http';
import type { ViewName } from './views.generated.js';

const organizationId = 'cml62s3tx0organization0001';
const contactId = 'cml62s3txq4w8e2r6t0y5u9i1';
const conversationId = 'cml62s3txa1s9d3f7g2h6j0k4';
const messagingChannelId = 'cml5zzzzzz1x5c9v3b7n2m6q0';
const createdAt = '2026-02-03T04:05:06.789Z';

const ping: PingView = { ok: true, organizationId };

const sentMessageResult: SentMessageResult = {
  id: 'cml62s3txk8v2n4b7q1w9z5e0',
  conversationId,
  contactId,
  upstreamMessageId: 'wamid.HBgLMTQxNTU1NTAxMjMVAgARGBI1RjQyNQA=',
};

const message: MessageView = {
  id: 'cml62s3txk8v2n4b7q1w9z5e0',
  conversationId,
  contactId,
  messagingChannelId,
  direction: 'OUTBOUND',
  type: 'TEXT',
  unsupportedType: null,
  text: 'Your order 4711 is on its way.',
  template: null,
  status: 'DELIVERED',
  upstreamMessageId: 'wamid.HBgLMTQxNTU1NTAxMjMVAgARGBI1RjQyNQA=',
  error: null,
  createdAt,
  sentAt: '2026-02-03T04:05:06.912Z',
  deliveredAt: '2026-02-03T04:05:08.000Z',
  readAt: null,
  failedAt: null,
};

const conversation: ConversationView = {
  id: conversationId,
  status: 'OPEN',
  lastMessageAt: createdAt,
  createdAt: '2026-01-15T09:30:00.000Z',
  snoozedUntil: null,
  messagingChannelId,
  contact: { id: contactId, name: 'Ada Lovelace', phone: '+14155550123', messagingId: '14155550123' },
};

const contact: ContactView = {
  id: contactId,
  phone: '+14155550123',
  messagingId: '14155550123',
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  isOptedOut: false,
  optedOutChannelIds: [],
  createdAt: '2026-01-15T09:30:00.000Z',
  updatedAt: createdAt,
};

const optOut: OptOutView = {
  id: 'cml62s3txo3p7u1t5o9u2t6x0',
  contactId,
  phone: '+14155550123',
  messagingChannelId,
  source: 'KEYWORD',
  reason: null,
  createdAt,
};

const channel: ChannelView = {
  id: messagingChannelId,
  name: 'Support',
  phone: '+12015550181',
  provider: 'cloud',
  businessAccountId: '102290129340398',
  isDefault: true,
  status: 'CONNECTED',
  createdAt: '2026-01-15T09:30:00.000Z',
};

const template: TemplateView = {
  id: 'cml62s3txt5e9m3p7l1a4t8e0',
  source: 'upstream',
  name: 'order_shipped',
  language: 'en_US',
  status: 'APPROVED',
  businessAccountId: '102290129340398',
  messagingChannelId,
  upstreamTemplateId: '1457325608621789',
  createdAt: '2026-01-15T09:30:00.000Z',
  updatedAt: createdAt,
};

const happened = { timestamp: createdAt, organizationId };
const eventId = 'cml62s3txe1v5e9n3t7i2d6x0';

const messageWebhook: MessageWebhook = {
  event: 'message.delivered',
  ...happened,
  data: { id: eventId, sequence: 12, message },
};
const conversationWebhook: ConversationWebhook = {
  event: 'conversation.opened',
  ...happened,
  data: { id: eventId, sequence: 10, conversation },
};
const optOutWebhook: OptOutWebhook = { event: 'optout.created', ...happened, data: { id: eventId, optOut } };
const templateWebhook: TemplateWebhook = {
  event: 'template.status_updated',
  ...happened,
  data: { id: eventId, template },
};
const testWebhook: TestWebhook = { event: 'webhook.test', ...happened, data: { id: eventId } };

/** One lifelike example of each shape that an answer or a webhook shows; the linter holds them to their schemas. */
export const viewExamples: Readonly<Partial<Record<ViewName, object>>> = {
  Ping: ping,
  SentMessageResult: sentMessageResult,
  Message: message,
  Conversation: conversation,
  Contact: contact,
  OptOut: optOut,
  Channel: channel,
  MessageWebhook: messageWebhook,
  ConversationWebhook: conversationWebhook,
  OptOutWebhook: optOutWebhook,
  TemplateWebhook: templateWebhook,
  TestWebhook: testWebhook,
};
