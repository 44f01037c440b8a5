import type { ContactView, OptOutView } from '@switchboard/contracts/contacts/http';
import type { PingView } from '@switchboard/contracts/gateway/http';
import type {
  ChannelView,
  ConversationView,
  MessageTimelineView,
  MessageView,
  SentMessageResult,
} from '@switchboard/contracts/messaging/http';
import type { TemplateView } from '@switchboard/contracts/templates/http';
import { exampleIds, exampleTimes } from './example-values.js';
import { acceptedJobExample, jobExample, recipientExample } from './job-examples.js';
import { deliveryReportExample, templateReportExample, usageReportExample } from './report-examples.js';
import type { ViewName } from './views.generated.js';

const ping: PingView = { ok: true, organizationId: exampleIds.organization };

const upstreamMessageId = 'wamid.HBgLMTQxNTU1NTAxMjMVAgARGBI1RjQyNQA=';

const sentMessageResult: SentMessageResult = {
  id: exampleIds.outbound,
  conversationId: exampleIds.conversation,
  contactId: exampleIds.contact,
  upstreamMessageId,
};

/** An outbound message that was delivered. */
export const messageExample: MessageView = {
  id: exampleIds.outbound,
  conversationId: exampleIds.conversation,
  contactId: exampleIds.contact,
  messagingChannelId: exampleIds.channel,
  direction: 'OUTBOUND',
  type: 'TEXT',
  unsupportedType: null,
  text: 'Your order 4711 is on its way.',
  template: null,
  clientReference: 'order-4711',
  metadata: { campaign: 'spring' },
  jobId: null,
  status: 'DELIVERED',
  upstreamMessageId,
  error: null,
  createdAt: exampleTimes.accepted,
  sentAt: exampleTimes.sent,
  deliveredAt: exampleTimes.delivered,
  readAt: null,
  failedAt: null,
};

const messageTimeline: MessageTimelineView = {
  items: [
    { at: exampleTimes.accepted, what: 'accepted', detail: 'It is stored.' },
    { at: exampleTimes.sent, what: 'handed to the provider', detail: 'Attempt 1.' },
    { at: exampleTimes.sent, what: 'sent', detail: 'The provider accepted the request that began then.' },
    { at: exampleTimes.delivered, what: 'delivered', detail: "It reached the recipient's device." },
  ],
};

/** A conversation that is open. */
export const conversationExample: ConversationView = {
  id: exampleIds.conversation,
  status: 'OPEN',
  lastMessageAt: exampleTimes.replied,
  createdAt: exampleTimes.met,
  snoozedUntil: null,
  messagingChannelId: exampleIds.channel,
  contact: { id: exampleIds.contact, name: 'Ada Lovelace', phone: '+14155550123', messagingId: '14155550123' },
};

/** A contact that changed since it was made. */
export const contactExample: ContactView = {
  id: exampleIds.contact,
  phone: '+14155550123',
  messagingId: '14155550123',
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  isOptedOut: false,
  optedOutChannelIds: [],
  createdAt: exampleTimes.met,
  updatedAt: exampleTimes.accepted,
};

/** An opt-out by a keyword, on the channel that it was written to. */
export const optOutExample: OptOutView = {
  id: exampleIds.optOut,
  contactId: exampleIds.contact,
  phone: '+14155550123',
  messagingChannelId: exampleIds.channel,
  source: 'KEYWORD',
  reason: null,
  createdAt: exampleTimes.optedOut,
};

const channel: ChannelView = {
  id: exampleIds.channel,
  name: 'Support',
  phone: '+12015550181',
  provider: 'cloud',
  businessAccountId: '102290129340398',
  isDefault: true,
  status: 'CONNECTED',
  createdAt: exampleTimes.connected,
};

/** A template that the upstream approved. */
export const templateExample: TemplateView = {
  id: exampleIds.template,
  source: 'upstream',
  name: 'order_shipped',
  language: 'en_US',
  status: 'APPROVED',
  businessAccountId: '102290129340398',
  messagingChannelId: exampleIds.channel,
  upstreamTemplateId: '1457325608621789',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Your order {{order}} is on its way.' }],
  parameterFormat: 'NAMED',
  variables: [{ name: 'order', in: 'BODY' }],
  createdAt: exampleTimes.connected,
  updatedAt: exampleTimes.met,
};

/** One lifelike example of each shape that an answer shows; the linter holds them to their schemas. */
export const viewExamples: Readonly<Partial<Record<ViewName, object>>> = {
  Ping: ping,
  SentMessageResult: sentMessageResult,
  Message: messageExample,
  MessageTimeline: messageTimeline,
  Conversation: conversationExample,
  Contact: contactExample,
  OptOut: optOutExample,
  Channel: channel,
  ManagedChannel: { ...channel, phoneNumberId: '106540352242922', defaultRegion: 'US', optOutKeywords: ['ALTO'] },
  ChannelTestResult: { connected: true, error: null, durationMs: 212 },
  AcceptedJob: acceptedJobExample,
  Job: jobExample,
  Recipient: recipientExample,
  Template: templateExample,
  DeliveryReport: deliveryReportExample,
  TemplateReport: templateReportExample,
  UsageReport: usageReportExample,
};
