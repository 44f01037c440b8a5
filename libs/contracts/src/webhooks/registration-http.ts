import type { Cuid } from '../grammar/cuid.js';
import type { Int } from '../grammar/int.js';
import type { ConversationWebhook, MessageWebhook, OptOutWebhook, TemplateWebhook, WebhookView } from './http.js';

/** A webhook that was just registered, with its secret. Source: docs/api-behaviour.md#webhooks-manage. */
export interface NewWebhookView extends WebhookView {
  /** `whsec_` and base 64: what signs every request. */
  readonly secret: string;
}

/** How much a replay sends. Source: docs/api-behaviour.md#webhooks-replay. */
export interface WebhookReplayView {
  /** Events that are sent again, or would be. */
  readonly count: Int;
}

/** A page of the feed of events. Source: docs/api-behaviour.md#events-feed. */
export interface EventFeedView {
  /** The bodies of the webhooks, oldest first. */
  readonly items: readonly (MessageWebhook | ConversationWebhook | OptOutWebhook | TemplateWebhook)[];
  /** Always present: come back with it as `cursor` and miss nothing. */
  readonly nextCursor: Cuid;
}
