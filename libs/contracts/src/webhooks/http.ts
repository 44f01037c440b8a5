import type { OptOutView } from '../contacts/http.js';
import type { Cuid } from '../grammar/cuid.js';
import type { Int } from '../grammar/int.js';
import type { IsoTime } from '../grammar/iso-time.js';
import type { ConversationView, MessageView } from '../messaging/http.js';

/** States of a template. Source: docs/api-behaviour.md#template-status. */
export type TemplateStatus = 'DRAFT' | 'PENDING' | 'APPROVED' | 'REJECTED' | 'PAUSED' | 'DISABLED';

/** A message template in full. Source: docs/api-behaviour.md#templates-fields. */
export interface TemplateView {
  readonly id: Cuid;
  readonly source: 'upstream';
  readonly name: string;
  readonly language: string;
  readonly status: TemplateStatus;
  readonly businessAccountId: string;
  readonly messagingChannelId: Cuid;
  readonly upstreamTemplateId: string;
  /** As the upstream provider calls it: `MARKETING`, `UTILITY`, `AUTHENTICATION`. */
  readonly category: string;
  /** Header, body, footer and buttons, in the form of the upstream provider. */
  readonly components: readonly Readonly<Record<string, unknown>>[];
  readonly parameterFormat: 'POSITIONAL' | 'NAMED';
  /** What a send must give values for, in this order: header, body, buttons. */
  readonly variables: readonly {
    /** Positional ones are called by their number. */
    readonly name: string;
    readonly in: 'HEADER' | 'BODY' | 'BUTTON';
  }[];
  readonly createdAt: IsoTime;
  readonly updatedAt: IsoTime;
}

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
