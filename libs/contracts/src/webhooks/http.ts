import type { OptOutView } from '../contacts/http.js';
import type { Cuid } from '../grammar/cuid.js';
import type { Int } from '../grammar/int.js';
import type { IsoTime } from '../grammar/iso-time.js';
import type { ConversationView, MessageView } from '../messaging/http.js';
import type { TemplateView } from '../templates/http.js';

/** Stands for a resource whose event would be larger than 256 KB: read it by its id. Source: docs/api-behaviour.md#webhooks-body. */
export interface SummarisedView {
  readonly id: Cuid;
  readonly summarised: true;
}

/** The body of a webhook about a message. Source: docs/api-behaviour.md#webhooks-body. */
export interface MessageWebhook {
  readonly event: 'message.received' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed';
  /** When it happened. */
  readonly timestamp: IsoTime;
  readonly organizationId: Cuid;
  readonly data: {
    /** Unique to the event, and the same in every attempt and for every webhook: what to deduplicate by. */
    readonly id: Cuid;
    /** Grows within the conversation: what came later has the higher one. */
    readonly sequence: Int;
    readonly message: MessageView | SummarisedView;
  };
}

/** The body of a webhook about a conversation. Source: docs/api-behaviour.md#webhooks-body. */
export interface ConversationWebhook {
  readonly event: 'conversation.opened' | 'conversation.closed';
  /** When it happened. */
  readonly timestamp: IsoTime;
  readonly organizationId: Cuid;
  readonly data: {
    /** Unique to the event, and the same in every attempt and for every webhook: what to deduplicate by. */
    readonly id: Cuid;
    /** Grows within the conversation: what came later has the higher one. */
    readonly sequence: Int;
    readonly conversation: ConversationView | SummarisedView;
  };
}

/** The body of a webhook about an opt-out: one for each channel covered. Source: docs/api-behaviour.md#webhooks-body. */
export interface OptOutWebhook {
  readonly event: 'optout.created';
  /** When it happened. */
  readonly timestamp: IsoTime;
  readonly organizationId: Cuid;
  readonly data: {
    /** Unique to the event, and the same in every attempt and for every webhook: what to deduplicate by. */
    readonly id: Cuid;
    readonly optOut: OptOutView | SummarisedView;
  };
}

/** The body of a webhook about a template. Source: docs/api-behaviour.md#webhooks-body. */
export interface TemplateWebhook {
  readonly event: 'template.status_updated';
  /** When it happened. */
  readonly timestamp: IsoTime;
  readonly organizationId: Cuid;
  readonly data: {
    /** Unique to the event, and the same in every attempt and for every webhook: what to deduplicate by. */
    readonly id: Cuid;
    readonly template: TemplateView | SummarisedView;
  };
}

/** The body of a test, sent by hand from the application. Source: docs/api-behaviour.md#events-types. */
export interface TestWebhook {
  readonly event: 'webhook.test';
  /** When it was asked for. */
  readonly timestamp: IsoTime;
  readonly organizationId: Cuid;
  readonly data: {
    /** Unique to the test. */
    readonly id: Cuid;
  };
}
