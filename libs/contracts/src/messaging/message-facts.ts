import type { Cuid } from '../grammar/cuid.js';
import type { IsoTime } from '../grammar/iso-time.js';

/** States of a message as the API shows them. Source: docs/api-behaviour.md#message-status. */
export const messageStatuses = ['QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'RECEIVED'] as const;
/** One of `messageStatuses`. */
export type MessageStatus = (typeof messageStatuses)[number];

/** Where a message goes. */
export const messageDirections = ['OUTBOUND', 'INBOUND'] as const;

/**
 * A message as events and answers between services carry it: what another release stored or answers may lack the optional
 * fields. `messageViewOf` makes what is shown of it.
 *
 * Source: docs/adr/0009-contract-versions.md
 */
export interface MessageFacts {
  /** The id of the message; also the reference that the upstream provider gets with it. */
  readonly id: Cuid;
  /** The conversation that it belongs to. */
  readonly conversationId: Cuid;
  /** The contact that it was sent to, or came from. */
  readonly contactId: Cuid;
  /** The channel that it was sent from, or came in on. */
  readonly messagingChannelId: Cuid;
  /** Whether the organization sent or received it. */
  readonly direction: (typeof messageDirections)[number];
  /** What it holds: a text, a filled template, or something that is not shown. */
  readonly type: 'TEXT' | 'TEMPLATE' | 'UNSUPPORTED';
  /** The provider's name of what is not shown, `image` for example; null unless `type` is UNSUPPORTED. */
  readonly unsupportedType: string | null;
  /** The text; of a template, its body as it was filled; null where there is none. */
  readonly text: string | null;
  /** The template that it was made from, as it was named then; null for other messages. */
  readonly template: {
    /** The id of the template. */
    readonly id: Cuid;
    /** The name of the template. */
    readonly name: string;
    /** The language of the template, `en_US` for example. */
    readonly language: string;
  } | null;
  /** Your own name for it; neither unique nor sent to the contact. */
  readonly clientReference?: string | null;
  /** Your own notes, never sent to the contact; `{}` when there are none. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The bulk send that it belongs to; null for a single send and an inbound message. */
  readonly jobId?: Cuid | null;
  /** How far it has come. It only rises: QUEUED, SENT, FAILED, DELIVERED, READ. */
  readonly status: MessageStatus;
  /** The upstream provider's id of it; null until the provider accepted it. */
  readonly upstreamMessageId: string | null;
  /** Why it failed; null unless `status` is FAILED. */
  readonly error: {
    /** `UPSTREAM_OUTCOME_UNKNOWN`, another code of ours, or that of the upstream provider, `131026` for example. */
    readonly code: string;
    /** The failure in words; it may change. */
    readonly message: string;
  } | null;
  /** When it was accepted, or came in. */
  readonly createdAt: IsoTime;
  /** When the request that the provider accepted was made; null before, and for inbound messages. */
  readonly sentAt: IsoTime | null;
  /** When it reached the recipient's device; null until then. */
  readonly deliveredAt: IsoTime | null;
  /** When the recipient opened it; null until then. */
  readonly readAt: IsoTime | null;
  /** When it failed; null unless `status` is FAILED. */
  readonly failedAt: IsoTime | null;
}

/** The template that a message was made from, as it was named then. */
export type MessageTemplate = NonNullable<MessageFacts['template']>;
