import { optOutCreated } from '@switchboard/contracts/contacts/events';
import type { EventDefinition, EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import {
  conversationClosed,
  conversationOpened,
  messageDelivered,
  messageFailed,
  messageRead,
  messageReceived,
  messageSent,
} from '@switchboard/contracts/messaging/events';
import { templateStatusUpdated } from '@switchboard/contracts/templates/events';
import type { SubscribableEvent } from '@switchboard/contracts/webhooks/http';
import { eventDataOf } from '@switchboard/platform';

/** An event as webhooks carry it. */
export interface PublicEvent {
  /** `data.id`. */
  readonly id: string;
  readonly organizationId: string;
  readonly type: SubscribableEvent;
  /** Whose events are delivered in their order; empty where there is no order. */
  readonly line: string;
  /** The bytes of every attempt, as JSON text. */
  readonly body: string;
  /** ISO 8601. */
  readonly occurredAt: string;
  /** Whom it speaks of; null for an event about no contact. */
  readonly contactId: string | null;
  /** Null for an event about no message. */
  readonly messageId: string | null;
}

/** A larger body has its resource summarised. Source: docs/api-behaviour.md#webhooks-body. */
export const BODY_BYTES_MAX = 262_144;

/** A resource as the events carry it, with the contact that it is of. */
interface Resource {
  readonly id: string;
  readonly contactId?: string;
  readonly contact?: { readonly id: string };
}

/** What `data` holds next to `id` and `sequence`. */
interface PublicData {
  /** The name of the resource in `data`. */
  readonly name: 'message' | 'conversation' | 'optOut' | 'template';
  readonly resource: Resource;
  readonly more?: Readonly<Record<string, string>>;
}

/** Every event that becomes one of webhooks, by its subject. */
const publicForms = new Map<
  string,
  { type: SubscribableEvent; read: (envelope: EventEnvelope) => PublicData | null }
>();
for (const [type, definition] of [
  ['message.received', messageReceived],
  ['message.sent', messageSent],
  ['message.delivered', messageDelivered],
  ['message.read', messageRead],
  ['message.failed', messageFailed],
] as const) {
  define(type, definition, ({ message }) => ({ name: 'message', resource: message }));
}
for (const [type, definition] of [
  ['conversation.opened', conversationOpened],
  ['conversation.closed', conversationClosed],
] as const) {
  define(type, definition, ({ conversation }) => ({ name: 'conversation', resource: conversation }));
}
define('optout.created', optOutCreated, ({ optOut, messagingChannelId }) => ({
  name: 'optOut',
  resource: optOut,
  more: { messagingChannelId },
}));
define('template.status_updated', templateStatusUpdated, ({ template }) => ({ name: 'template', resource: template }));

/** Whether webhooks and the feed carry events of this kind. */
export function hasPublicForm({ subject }: EventEnvelope): boolean {
  return publicForms.has(subject);
}

/**
 * The public form of an event: its bytes are made here, once. Null for what webhooks do not carry.
 *
 * Source: docs/api-behaviour.md#webhooks-body.
 */
export function publicEventOf(envelope: EventEnvelope): PublicEvent | null {
  const form = publicForms.get(envelope.subject);
  const data = form?.read(envelope) ?? null;
  if (!form || data === null || envelope.organizationId === null) return null;
  const { id, organizationId, occurredAt } = envelope;
  const { type } = form;
  const whole = bodyOf(type, envelope, data, data.resource);
  const isTooLarge = Buffer.byteLength(whole) > BODY_BYTES_MAX;
  const body = isTooLarge ? bodyOf(type, envelope, data, { id: data.resource.id, summarised: true }) : whole;
  const line = envelope.sequence === null ? '' : envelope.aggregateId;
  const { contactId, contact } = data.resource;
  const whom = contactId ?? contact?.id ?? null;
  const about = { contactId: whom, messageId: data.name === 'message' ? data.resource.id : null };
  return { id, organizationId, type, line, body, occurredAt, ...about };
}

function define<Data>(
  type: SubscribableEvent,
  definition: EventDefinition<Data>,
  read: (data: Data) => PublicData,
): void {
  const readEnvelope = (envelope: EventEnvelope): PublicData | null => {
    const found = eventDataOf(envelope, definition);
    return found && read(found.data);
  };
  publicForms.set(definition.subject, { type, read: readEnvelope });
}

function bodyOf(
  event: SubscribableEvent,
  { id, sequence, occurredAt: timestamp, organizationId }: EventEnvelope,
  { name, more }: PublicData,
  resource: Resource & { readonly summarised?: true },
): string {
  const data = { id, ...(sequence === null ? {} : { sequence }), ...more, [name]: resource };
  return JSON.stringify({ event, timestamp, organizationId, data });
}
