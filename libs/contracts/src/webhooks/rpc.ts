import type { Cuid } from '../grammar/cuid.js';
import { defineRpc } from '../grammar/define-rpc.js';
import type { KeyedRequest } from '../grammar/keyed-request.js';
import type { Int } from '../grammar/int.js';
import type { IsoTime } from '../grammar/iso-time.js';
import type { Page } from '../grammar/page.js';
import type { TimelineItem } from '../messaging/timeline.js';
import type { WebhookActor } from './events.js';
import type {
  AttemptOutcome,
  SubscribableEvent,
  WebhookAttemptView,
  WebhookDeliveryView,
  WebhookEvent,
  WebhookSecretView,
  WebhookTestResult,
  WebhookView,
} from './http.js';

/**
 * Who acts, for the audit log: the act's event is committed with the act, and once, however often it is asked for. Absent from a gateway
 * of the release before, which writes the log alone.
 */
export interface AuditedRequest {
  readonly by?: WebhookActor;
}

/** A webhook to register; the gateway mints `id`, so that asking again by it registers one. */
export interface CreateWebhookRequest extends AuditedRequest {
  readonly id: Cuid;
  readonly url: string;
  /** At least one; repeated ones count once. */
  readonly events: readonly SubscribableEvent[];
  readonly description: string | null;
  /** Of a request with an `Idempotency-Key`. Absent from a gateway of the release before. */
  readonly keyed?: KeyedRequest;
}

/** A webhook that was registered. */
export interface CreatedWebhook {
  readonly webhook: WebhookView;
  readonly secret: string;
  /** Present: an earlier request with the same `Idempotency-Key` registered it, and this one nothing. */
  readonly isRepetition?: true;
}

/**
 * Registers a webhook and makes its secret. Idempotent by `id`, and by the `Idempotency-Key` as long as the webhook exists.
 *
 * The deadline covers resolving the name of the URL.
 *
 * @throws VALIDATION_FAILED when the URL is not allowed; PAYMENT_REQUIRED for the 21st of an organization; CONFLICT for another
 * body under a key
 */
export const createWebhookRpc = defineRpc<CreateWebhookRequest, CreatedWebhook>('webhooks', 'create-webhook', {
  deadlineMs: 9_000,
});

/** Webhooks of the organization, newest first. */
export const listWebhooksRpc = defineRpc<{ readonly limit: number; readonly cursor: string | null }, Page<WebhookView>>(
  'webhooks',
  'list-webhooks',
  { deadlineMs: 5_000 },
);

/** One webhook of the organization. @throws WEBHOOK_NOT_FOUND */
export const getWebhookRpc = defineRpc<{ readonly id: Cuid }, WebhookView>('webhooks', 'get-webhook', {
  deadlineMs: 5_000,
});

/** Fields of a webhook to change; one that is absent keeps its value. */
export interface ChangeWebhookRequest extends AuditedRequest {
  readonly id: Cuid;
  readonly url?: string;
  readonly events?: readonly SubscribableEvent[];
  /** Null clears it. */
  readonly description?: string | null;
}

/** A webhook around a change, for the audit log. */
export interface ChangedWebhook {
  readonly before: WebhookView;
  readonly after: WebhookView;
}

/**
 * Changes a webhook; pending deliveries go to a changed URL.
 *
 * @throws WEBHOOK_NOT_FOUND; VALIDATION_FAILED when the URL is not allowed
 */
export const changeWebhookRpc = defineRpc<ChangeWebhookRequest, ChangedWebhook>('webhooks', 'change-webhook', {
  deadlineMs: 9_000,
});

/** Deletes a webhook, drops its pending deliveries and answers it as it was. @throws WEBHOOK_NOT_FOUND */
export const deleteWebhookRpc = defineRpc<AuditedRequest & { readonly id: Cuid }, { readonly before: WebhookView }>(
  'webhooks',
  'delete-webhook',
  { deadlineMs: 6_000 },
);

/** The signing secret of a webhook. @throws WEBHOOK_NOT_FOUND */
export const getWebhookSecretRpc = defineRpc<{ readonly id: Cuid }, WebhookSecretView>(
  'webhooks',
  'get-webhook-secret',
  { deadlineMs: 5_000 },
);

/** Makes a new signing secret; the former one signs too for 24 hours. @throws WEBHOOK_NOT_FOUND */
export const rotateWebhookSecretRpc = defineRpc<AuditedRequest & { readonly id: Cuid }, WebhookSecretView>(
  'webhooks',
  'rotate-webhook-secret',
  { deadlineMs: 6_000 },
);

/**
 * Activates a webhook and sets its count of failures to 0, also of one that is active.
 *
 * @throws WEBHOOK_NOT_FOUND; SERVICE_UNAVAILABLE while much of what was pending is still being dropped: asked again it goes on
 */
export const enableWebhookRpc = defineRpc<AuditedRequest & { readonly id: Cuid }, ChangedWebhook>(
  'webhooks',
  'enable-webhook',
  {
    deadlineMs: 6_000,
  },
);

/**
 * Sends `webhook.test` once and answers what came of it, of a deactivated webhook too. Never counts.
 *
 * The deadline covers the receiver's 10 s.
 *
 * @throws WEBHOOK_NOT_FOUND; RATE_LIMITED while the process that is asked has 5 test sends of the organization under way;
 * SERVICE_UNAVAILABLE when nothing was sent, or its process ended and what came of it is not known
 */
export const testWebhookRpc = defineRpc<AuditedRequest & { readonly id: Cuid }, WebhookTestResult>(
  'webhooks',
  'test-webhook',
  {
    deadlineMs: 14_000,
  },
);

/** A page of attempts; null stands for no filter. */
export interface ListWebhookAttemptsRequest {
  readonly webhookId: Cuid;
  /** 1 to 100. */
  readonly limit: number;
  readonly cursor: string | null;
  readonly event: WebhookEvent | null;
  readonly outcome: AttemptOutcome | null;
  /** The attempt began at or after it. */
  readonly from: IsoTime | null;
  /** The attempt began before it. */
  readonly to: IsoTime | null;
}

/**
 * Attempts of a webhook, newest first; kept for 30 days. With a filter a page looks at 10,000 attempts at most: it may be short, or
 * empty, with a `nextCursor`.
 *
 * @throws WEBHOOK_NOT_FOUND
 */
export const listWebhookAttemptsRpc = defineRpc<ListWebhookAttemptsRequest, Page<WebhookAttemptView>>(
  'webhooks',
  'list-webhook-attempts',
  { deadlineMs: 5_000 },
);

/** Names a delivery of a webhook. */
export interface WebhookDeliveryRequest {
  readonly webhookId: Cuid;
  readonly deliveryId: Cuid;
}

/** One delivery with its payload. @throws WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND */
export const getWebhookDeliveryRpc = defineRpc<WebhookDeliveryRequest, WebhookDeliveryView>(
  'webhooks',
  'get-webhook-delivery',
  { deadlineMs: 5_000 },
);

/**
 * Sends a delivery again, as a delivery of kind MANUAL under the same id; answers when it is queued.
 *
 * @throws WEBHOOK_NOT_FOUND; DELIVERY_NOT_FOUND, also when its event is no longer kept; CONFLICT when the webhook is
 * deactivated, or an attempt of the delivery is under way
 */
export const redeliverWebhookRpc = defineRpc<AuditedRequest & WebhookDeliveryRequest, Record<string, never>>(
  'webhooks',
  'redeliver-webhook',
  { deadlineMs: 6_000 },
);

/** Which events a replay sends again; null stands for no restriction. */
export interface ReplayWebhookRequest extends AuditedRequest {
  /** Minted by the caller: asking again by it replays once. */
  readonly replayId: Cuid;
  readonly webhookId: Cuid;
  /** Of the occurrence; inclusive. */
  readonly since: IsoTime;
  /** Exclusive; null: until now. */
  readonly until: IsoTime | null;
  /** Of those that the webhook subscribes to. */
  readonly events: readonly SubscribableEvent[] | null;
  /** Those alone that have no successful delivery to this webhook. */
  readonly onlyMissed: boolean;
  /** Counts and sends nothing. */
  readonly dryRun: boolean;
}

/**
 * Sends every subscribed event of a period again, at most those that are kept, of 7 days or more. Answers when they are counted and the
 * replay is stored; they are queued behind that.
 *
 * @throws WEBHOOK_NOT_FOUND; CONFLICT when the webhook is deactivated or has 3 replays under way, unless it is a dry run;
 * VALIDATION_FAILED when the period has more events than can be counted in time; SERVICE_UNAVAILABLE when the process that counts ends
 */
export const replayWebhookRpc = defineRpc<ReplayWebhookRequest, { readonly count: Int }>('webhooks', 'replay-webhook', {
  deadlineMs: 20_000,
});

/** A page of the feed of events. */
export interface ListEventsRequest {
  /** 1 to 100. */
  readonly limit: number;
  /** As `nextCursor` was answered; null: from `from` on. */
  readonly cursor: string | null;
  /** Null: all. */
  readonly types: readonly SubscribableEvent[] | null;
  /** Where reading starts without a cursor; null: with the oldest that is kept. */
  readonly from: IsoTime | null;
}

/** A page of the feed of events; `nextCursor` is always there. */
export interface EventFeedPage {
  /** JSON texts: the very bodies that webhooks carry, oldest first. Fewer than `limit` where the page would be too large. */
  readonly bodies: readonly string[];
  /** Of each body: where reading goes on after it. Absent from a service of the release before. */
  readonly cursors?: readonly string[];
  readonly nextCursor: string;
}

/** What webhooks carry, oldest first. Source: docs/api-behaviour.md#events-feed. */
export const listEventsRpc = defineRpc<ListEventsRequest, EventFeedPage>('webhooks', 'list-events', {
  deadlineMs: 5_000,
});

/**
 * What became of the deliveries of events about a message, in the form of its timeline and in order of time; empty for a message
 * of which no event is kept. Source: docs/api-behaviour.md#timeline.
 */
export const listMessageDeliveriesRpc = defineRpc<
  { readonly messageId: Cuid },
  { readonly items: readonly TimelineItem[] }
>('webhooks', 'list-message-deliveries', { deadlineMs: 2_000 });
