import type {
  WebhookAttemptView,
  WebhookDeliveryView,
  WebhookSecretView,
  WebhookTestResult,
  WebhookView,
} from '@switchboard/contracts/webhooks/http';
import type {
  EventFeedView,
  NewWebhookView,
  WebhookReplayView,
} from '@switchboard/contracts/webhooks/registration-http';
import { exampleId, exampleTimes } from './example-values.js';
import type { ViewName } from './views.generated.js';
import { webhookExamples } from './webhook-examples.js';

const { 'message.received': received, 'message.delivered': delivered } = webhookExamples;

const webhook: WebhookView = {
  id: exampleId(exampleTimes.met, 'w1e5b9h3o7o2k6s0'),
  url: 'https://hooks.example.org/switchboard',
  events: ['message.received', 'message.failed'],
  description: 'Inbox of the shop',
  status: 'ACTIVE',
  deactivatedAt: null,
  deactivatedReason: null,
  consecutiveFailures: 0,
  createdAt: exampleTimes.met,
  updatedAt: exampleTimes.met,
};

/** That of the examples of Standard Webhooks: of no webhook. */
const secret: WebhookSecretView = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  previousSecretValidUntil: null,
};

const newWebhook: NewWebhookView = { ...webhook, secret: secret.secret };

const tested: WebhookTestResult = {
  delivered: true,
  responseStatus: 200,
  responseBody: 'ok',
  error: null,
  durationMs: 84,
};

const attempt: WebhookAttemptView = {
  id: exampleId(exampleTimes.replied, 'a1t5t9e3m7p2t6s0'),
  deliveryId: exampleId(exampleTimes.replied, 'd1e5l9i3v7e2r6y0'),
  event: 'message.received',
  dataId: received.data.id,
  kind: 'AUTOMATIC',
  attempt: 1,
  at: exampleTimes.replied,
  durationMs: 84,
  responseStatus: 200,
  responseBody: 'ok',
  error: null,
  outcome: 'SUCCEEDED',
};

const delivery: WebhookDeliveryView = {
  id: attempt.deliveryId,
  event: attempt.event,
  payload: { ...received },
  state: 'SUCCEEDED',
  nextAttemptAt: null,
  attempts: [attempt],
};

const replay: WebhookReplayView = { count: 12 };

const feed: EventFeedView = {
  items: [delivered, received],
  nextCursor: exampleId(exampleTimes.replied, 'f1e5e9d3f7e2e6d0'),
};

/** How a stream of events begins, and its first event. */
export const eventStreamExample =
  `retry: 2113\nid: ${exampleId(exampleTimes.read, 'f1e5e9d3f7e2e6d0')}\nevent: ready\ndata: {}\n\n` +
  `id: ${feed.nextCursor}\ndata: ${JSON.stringify(received)}\n\n`;

/** One lifelike example of each shape of webhooks; apart from the others, for the bodies of events are made of those. */
export const webhookViewExamples: Readonly<Partial<Record<ViewName, object>>> = {
  Webhook: webhook,
  NewWebhook: newWebhook,
  WebhookSecret: secret,
  WebhookTestResult: tested,
  WebhookAttempt: attempt,
  WebhookDelivery: delivery,
  WebhookReplay: replay,
  EventFeed: feed,
};
