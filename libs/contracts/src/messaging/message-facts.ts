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
  readonly id: Cuid;
  readonly conversationId: Cuid;
  readonly contactId: Cuid;
  readonly messagingChannelId: Cuid;
  readonly direction: (typeof messageDirections)[number];
  readonly type: 'TEXT' | 'TEMPLATE' | 'UNSUPPORTED';
  readonly unsupportedType: string | null;
  readonly text: string | null;
  readonly template: { readonly id: Cuid; readonly name: string; readonly language: string } | null;
  readonly clientReference?: string | null;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly jobId?: Cuid | null;
  readonly status: MessageStatus;
  readonly upstreamMessageId: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly createdAt: IsoTime;
  readonly sentAt: IsoTime | null;
  readonly deliveredAt: IsoTime | null;
  readonly readAt: IsoTime | null;
  readonly failedAt: IsoTime | null;
}

/** The template that a message was made from, as it was named then. */
export type MessageTemplate = NonNullable<MessageFacts['template']>;
