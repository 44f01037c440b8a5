import type { Json, JsonObject } from '@switchboard/openapi';
import type { ViewName } from './views.generated.js';
import { webhookExamples, type WebhookEvent } from './webhook-examples.js';

interface DescribedEvent {
  readonly when: string;
  readonly body: ViewName;
  readonly tag: string;
}

/** Source: docs/api-behaviour.md#events-types. */
const events: Readonly<Record<WebhookEvent, DescribedEvent>> = {
  'message.received': ofMessage('an inbound message arrived from a contact'),
  'message.sent': ofMessage('the service accepted an outbound message and submitted it upstream'),
  'message.delivered': ofMessage("the upstream provider confirmed delivery to the recipient's device"),
  'message.read': ofMessage('the recipient opened the message'),
  'message.failed': ofMessage('the upstream provider returned a failure for the message'),
  'conversation.opened': ofConversation('a conversation moved into the open state'),
  'conversation.closed': ofConversation('a conversation was closed'),
  'optout.created': {
    when: 'a contact opted out on a channel; once for each channel covered',
    body: 'OptOutWebhook',
    tag: 'Contacts',
  },
  'template.status_updated': {
    when: "the upstream provider changed a template's status: approved, rejected, paused, disabled",
    body: 'TemplateWebhook',
    tag: 'Templates',
  },
  'webhook.test': {
    when: 'Send test was clicked in the application; it cannot be subscribed to',
    body: 'TestWebhook',
    tag: 'System',
  },
};

/** Source: docs/api-behaviour.md#webhooks-body, docs/api-behaviour.md#webhooks-signature. */
const parameters: readonly JsonObject[] = [
  header('User-Agent', 'The sender.', { type: 'string', enum: ['Service-Webhooks/1'] }, 'Service-Webhooks/1'),
  header(
    'X-Service-Signature',
    'HMAC-SHA256 of the raw body in lowercase hex; the key is the UTF-8 bytes of the whole signing secret as it was shown.',
    { type: 'string', pattern: '^[0-9a-f]{64}$' },
    '6b1f3c9f0e0a4d6e8c2b7a5d9e1f4c3b2a1908f7e6d5c4b3a29180f7e6d5c4b3',
  ),
  {
    ...header(
      'X-Service-Signature-Previous',
      'For 24 hours after the secret was rotated: the same, keyed with the secret before.',
      { type: 'string', pattern: '^[0-9a-f]{64}$' },
      'a1908f7e6d5c4b3a29180f7e6d5c4b36b1f3c9f0e0a4d6e8c2b7a5d9e1f4c3b2',
    ),
    required: false,
  },
  header(
    'webhook-id',
    'Standard Webhooks: the same as `data.id`.',
    { type: 'string' },
    webhookExamples['message.delivered'].data.id,
  ),
  header(
    'webhook-timestamp',
    'Standard Webhooks: seconds since 1970 at which this attempt was signed.',
    { type: 'string', pattern: '^[0-9]+$' },
    '1770091508',
  ),
  header(
    'webhook-signature',
    "Standard Webhooks: signatures by space, each `v1,` and base64; the key is the secret's base64 part.",
    { type: 'string' },
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

/** The components that webhooks refer to. */
export const webhookParameters: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  parameters.map((parameter) => [String(parameter['name']), parameter]),
);

/** The ten events as webhooks receive them, by name. */
export const webhooks: JsonObject = Object.fromEntries(
  (Object.keys(events) as WebhookEvent[]).map((event) => [event, { post: operationOf(event, events[event]) }]),
);

function operationOf(event: WebhookEvent, { when, body, tag }: DescribedEvent): JsonObject {
  return {
    operationId: `on${event.replaceAll(/(?:^|[._])(\w)/g, (_match, letter: string) => letter.toUpperCase())}`,
    tags: [tag],
    summary: event,
    description: `Sent when ${when}.`,
    security: [],
    parameters: Object.keys(webhookParameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          // Events share a shape; the body of each has its own name and no other.
          schema: {
            allOf: [
              { $ref: `#/components/schemas/${body}` },
              { properties: { event: { const: event, description: `Always \`${event}\`.` } } },
            ],
          },
          example: webhookExamples[event] as unknown as Json,
        },
      },
    },
    responses: {
      '2XX': { description: 'Delivered. Anything else, a redirect too, and no answer within 10 s are failures.' },
    },
  };
}

function ofMessage(when: string): DescribedEvent {
  return { when, body: 'MessageWebhook', tag: 'Messages' };
}

function ofConversation(when: string): DescribedEvent {
  return { when, body: 'ConversationWebhook', tag: 'Conversations' };
}

function header(name: string, description: string, schema: JsonObject, example: string): JsonObject {
  return { name, in: 'header', required: true, description, schema, example };
}
