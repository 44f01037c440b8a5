import type { Webhook } from '../../api/api.generated.js';

/** An event that a webhook may carry. */
export type EventType = Webhook['events'][number];

/** Every event, with what it means. Source: docs/api-behaviour.md#webhooks. */
export const eventTypes: readonly { readonly type: EventType; readonly text: string }[] = [
  { type: 'message.received', text: 'A contact wrote' },
  { type: 'message.sent', text: 'The provider accepted a message' },
  { type: 'message.delivered', text: 'A message reached the phone' },
  { type: 'message.read', text: 'A message was read' },
  { type: 'message.failed', text: 'A message cannot be delivered' },
  { type: 'conversation.opened', text: 'A conversation needs attention' },
  { type: 'conversation.closed', text: 'A conversation was closed' },
  { type: 'optout.created', text: 'A contact opted out' },
  { type: 'template.status_updated', text: 'A template was approved, rejected or paused' },
];
