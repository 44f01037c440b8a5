import type { OptOutView } from '../contacts/http.js';
import type { Cuid } from '../grammar/cuid.js';
import type { Int } from '../grammar/int.js';
import type { IsoTime } from '../grammar/iso-time.js';
import type { ConversationView, MessageView } from '../messaging/http.js';
import type { TemplateView } from '../templates/http.js';

/** Stands for a resource whose event would be larger than 256 KB: read it by its id. Source: docs/api-behaviour.md#webhooks-body. */
export interface SummarisedView {
  /** The id of the resource. */
  readonly id: Cuid;
  /** Always true: the resource was too large to be sent in full. */
  readonly summarised: true;
}

/** The body of a webhook about a message. Source: docs/api-behaviour.md#webhooks-body. */
export interface MessageWebhook {
  /** Which event it is. */
  readonly event: 'message.received' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed';
  /** When it happened. */
  readonly timestamp: IsoTime;
  /** The organization that it happened in. */
  readonly organizationId: Cuid;
  /** The event: its id and the resource in full. */
  readonly data: {
    /** Unique to the event, and the same in every attempt and for every webhook: what to deduplicate by. */
    readonly id: Cuid;
    /** Grows within the conversation: what came later has the higher one. */
    readonly sequence: Int;
    /** The message as the API shows it at the event; over 256 KB its id alone. */
    readonly message: MessageView | SummarisedView;
  };
}

/** The body of a webhook about a conversation. Source: docs/api-behaviour.md#webhooks-body. */
export interface ConversationWebhook {
  /** Which event it is. */
  readonly event: 'conversation.opened' | 'conversation.closed';
  /** When it happened. */
  readonly timestamp: IsoTime;
  /** The organization that it happened in. */
  readonly organizationId: Cuid;
  /** The event: its id and the resource in full. */
  readonly data: {
    /** Unique to the event, and the same in every attempt and for every webhook: what to deduplicate by. */
    readonly id: Cuid;
    /** Grows within the conversation: what came later has the higher one. */
    readonly sequence: Int;
    /** The conversation as the API shows it at the event; over 256 KB its id alone. */
    readonly conversation: ConversationView | SummarisedView;
  };
}

/** The body of a webhook about an opt-out: one for each channel covered. Source: docs/api-behaviour.md#webhooks-body. */
export interface OptOutWebhook {
  /** Which event it is. */
  readonly event: 'optout.created';
  /** When it happened. */
  readonly timestamp: IsoTime;
  /** The organization that it happened in. */
  readonly organizationId: Cuid;
  /** The event: its id and the resource in full. */
  readonly data: {
    /** Unique to the event, and the same in every attempt and for every webhook: what to deduplicate by. */
    readonly id: Cuid;
    /** The channel that it covers; that of the opt-out may be null. */
    readonly messagingChannelId: Cuid;
    /** The opt-out as the API shows it at the event; over 256 KB its id alone. */
    readonly optOut: OptOutView | SummarisedView;
  };
}

/** The body of a webhook about a template. Source: docs/api-behaviour.md#webhooks-body. */
export interface TemplateWebhook {
  /** Which event it is. */
  readonly event: 'template.status_updated';
  /** When it happened. */
  readonly timestamp: IsoTime;
  /** The organization that it happened in. */
  readonly organizationId: Cuid;
  /** The event: its id and the resource in full. */
  readonly data: {
    /** Unique to the event, and the same in every attempt and for every webhook: what to deduplicate by. */
    readonly id: Cuid;
    /** The template as the API shows it at the event; over 256 KB its id alone. */
    readonly template: TemplateView | SummarisedView;
  };
}

/** The body of a test, sent by hand from the application. Source: docs/api-behaviour.md#events-types. */
export interface TestWebhook {
  /** Which event it is. */
  readonly event: 'webhook.test';
  /** When it was asked for. */
  readonly timestamp: IsoTime;
  /** The organization that it happened in. */
  readonly organizationId: Cuid;
  /** The test: its id alone. */
  readonly data: {
    /** Unique to the test. */
    readonly id: Cuid;
  };
}

/** What a webhook can subscribe to. Source: docs/api-behaviour.md#events-types. */
export const subscribableEvents = [
  'message.received',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'conversation.opened',
  'conversation.closed',
  'optout.created',
  'template.status_updated',
] as const;
/** One of `subscribableEvents`. */
export type SubscribableEvent = (typeof subscribableEvents)[number];
/** Everything that a webhook is sent. */
export type WebhookEvent = SubscribableEvent | 'webhook.test';

/** A webhook as the application's API shows it, without its secret. Source: docs/api-behaviour.md#webhooks-manage. */
export interface WebhookView {
  /** The id of the webhook. */
  readonly id: Cuid;
  /** Where events are sent. */
  readonly url: string;
  /** The events that are sent. */
  readonly events: readonly SubscribableEvent[];
  /** What it is for; null when that was not said. */
  readonly description: string | null;
  /** Whether events are sent to it. */
  readonly status: 'ACTIVE' | 'DEACTIVATED';
  /** Null while it is active. */
  readonly deactivatedAt: IsoTime | null;
  /** A sentence; null while it is active. */
  readonly deactivatedReason: string | null;
  /** Failed attempts since the last 2xx; at 10 it is deactivated. */
  readonly consecutiveFailures: Int;
  /** When it was registered. */
  readonly createdAt: IsoTime;
  /** When it last changed. */
  readonly updatedAt: IsoTime;
}

/** The signing secret of a webhook. Source: docs/api-behaviour.md#webhooks-manage. */
export interface WebhookSecretView {
  /** `whsec_` and base 64. */
  readonly secret: string;
  /** Until when the former secret signs too; null when there is none, or its 24 hours are over. */
  readonly previousSecretValidUntil: IsoTime | null;
}

/** The result of a test send. Source: docs/api-behaviour.md#webhooks-manage. */
export interface WebhookTestResult {
  /** A 2xx within 10 s. */
  readonly delivered: boolean;
  /** The status of the response; null where there was none. */
  readonly responseStatus: Int | null;
  /** At most 1,024 bytes. */
  readonly responseBody: string | null;
  /** Why there was no whole response; null where there was one. */
  readonly error: string | null;
  /** How long the request took, in milliseconds. */
  readonly durationMs: Int;
}

/** Why an attempt was made. */
export type AttemptKind = 'AUTOMATIC' | 'MANUAL' | 'REPLAY' | 'TEST';
/** What came of an attempt. */
export type AttemptOutcome = 'SUCCEEDED' | 'FAILED';
/** States of a delivery. Source: docs/api-behaviour.md#webhooks-manage. */
export type DeliveryState = 'PENDING' | 'SUCCEEDED' | 'FAILED' | 'DROPPED';

/** One HTTP request to a receiver. Source: docs/api-behaviour.md#webhooks-manage. */
export interface WebhookAttemptView {
  /** The id of the attempt. */
  readonly id: Cuid;
  /** The delivery that it belongs to. */
  readonly deliveryId: Cuid;
  /** Which event was sent. */
  readonly event: WebhookEvent;
  /** `data.id` of the body. */
  readonly dataId: Cuid;
  /** Why it was made. */
  readonly kind: AttemptKind;
  /** From 1 within its delivery. */
  readonly attempt: Int;
  /** When it began. */
  readonly at: IsoTime;
  /** How long it took, in milliseconds. */
  readonly durationMs: Int;
  /** The status of the response; null where there was none. */
  readonly responseStatus: Int | null;
  /** At most 1,024 bytes. */
  readonly responseBody: string | null;
  /** Why there was no whole response; `interrupted` where no end was recorded; null where there was one. */
  readonly error: string | null;
  /** Whether a 2xx came in time. */
  readonly outcome: AttemptOutcome;
}

/** An event for one webhook. Source: docs/api-behaviour.md#webhooks-manage. */
export interface WebhookDeliveryView {
  /** The id of the delivery. */
  readonly id: Cuid;
  /** Which event it is. */
  readonly event: WebhookEvent;
  /** The body as it is sent; null when its event is no longer kept (at least 7 days). */
  readonly payload: Readonly<Record<string, unknown>> | null;
  /** How far it has come. */
  readonly state: DeliveryState;
  /** Null unless it is PENDING. */
  readonly nextAttemptAt: IsoTime | null;
  /** Oldest first. */
  readonly attempts: readonly WebhookAttemptView[];
}
