import { viewExamples } from './examples.js';
import type { JsonObject } from './json-schema.js';
import type { ViewName } from './views.generated.js';

interface Told {
  readonly event: string;
  readonly when: string;
  readonly body: ViewName;
  readonly tag: string;
}

/** Source: specification, "Subscribable event types". */
const events: readonly Told[] = [
  told('message.received', 'an inbound message arrived from a contact', 'MessageWebhook', 'Messages'),
  told(
    'message.sent',
    'the service accepted an outbound message and submitted it upstream',
    'MessageWebhook',
    'Messages',
  ),
  told(
    'message.delivered',
    "the upstream provider confirmed delivery to the recipient's device",
    'MessageWebhook',
    'Messages',
  ),
  told('message.read', 'the recipient opened the message', 'MessageWebhook', 'Messages'),
  told('message.failed', 'the upstream provider returned a failure for the message', 'MessageWebhook', 'Messages'),
  told('conversation.opened', 'a conversation moved into the open state', 'ConversationWebhook', 'Conversations'),
  told('conversation.closed', 'a conversation was closed', 'ConversationWebhook', 'Conversations'),
  told(
    'optout.created',
    'a contact opted out on a channel; once for each channel covered',
    'OptOutWebhook',
    'Contacts',
  ),
  told(
    'template.status_updated',
    "the upstream provider changed a template's status: approved, rejected, paused, disabled",
    'TemplateWebhook',
    'Templates',
  ),
  told('webhook.test', 'Send test was clicked in the application; it is not subscribed to', 'TestWebhook', 'System'),
];

/** Source: specification, "Request format" and "Signature"; decisions, "Webhooks". */
const parameters: readonly JsonObject[] = [
  header('User-Agent', 'Who calls.', { type: 'string', enum: ['Service-Webhooks/1'] }, 'Service-Webhooks/1'),
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
  header('webhook-id', 'Standard Webhooks: the same as `data.id`.', { type: 'string' }, 'cml62s3txe1v5e9n3t7i2d6x0'),
  header(
    'webhook-timestamp',
    'Standard Webhooks: seconds since 1970 at which this attempt was signed.',
    { type: 'string', pattern: '^[0-9]+$' },
    '1770091507',
  ),
  header(
    'webhook-signature',
    "Standard Webhooks: signatures by space, each `v1,` and base64; the key is the secret's base64 part.",
    { type: 'string' },
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

/** The components that webhooks refer to. */
export const webhookParameters: JsonObject = Object.fromEntries(
  parameters.map((parameter) => [String(parameter['name']), parameter]),
);

/** The ten events as they will be told to webhooks, by name. None is delivered yet: `x-status` says so. */
export const webhooks: JsonObject = Object.fromEntries(events.map((one) => [one.event, { post: operationOf(one) }]));

function operationOf({ event, when, body, tag }: Told): JsonObject {
  const example = viewExamples[body];
  return {
    operationId: `on${event.replaceAll(/(?:^|[._])(\w)/g, (_match, letter: string) => letter.toUpperCase())}`,
    tags: [tag],
    summary: event,
    description: `Sent when ${when}.\n\n**Planned: not delivered yet.** The form is settled; webhooks cannot be registered so far.`,
    'x-status': 'planned',
    security: [],
    parameters: Object.keys(webhookParameters).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${body}` },
          ...(example && { example: { ...example, event } as JsonObject }),
        },
      },
    },
    responses: {
      '2XX': { description: 'Delivered. Anything else, a redirect too, and no answer within 10 s are failures.' },
    },
  };
}

function told(event: string, when: string, body: ViewName, tag: string): Told {
  return { event, when, body, tag };
}

function header(name: string, description: string, schema: JsonObject, example: string): JsonObject {
  return { name, in: 'header', required: true, description, schema, example };
}
