import type { CountedMessage } from '@switchboard/contracts/messaging/counted-rpc';

/** What is counted of a message, as it was when its version was reached. */
export interface MessageFact {
  readonly organizationId: string;
  readonly id: string;
  readonly channelId: string;
  readonly contactId: string;
  readonly isInbound: boolean;
  readonly templateId: string | null;
  /** Grows with each change: the sequence of its event within the conversation. */
  readonly version: number;
  /** The highest stage that was reached; see STAGES. */
  readonly stage: number;
  readonly isFailed: boolean;
  readonly errorCode: string | null;
  readonly sentAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly readAt: Date | null;
}

/** Stages of an outbound message, each implying the former ones. */
export const STAGES = ['accepted', 'sent', 'delivered', 'read'] as const;

/** A message as its events show it, and as messaging lists it. */
export type CountableMessage = Omit<CountedMessage, 'sequence'>;

/** The fact that a message amounts to. @param version the sequence of the event, or that messaging listed it with */
export function factOf(organizationId: string, message: CountableMessage, version: number): MessageFact {
  return {
    organizationId,
    id: message.id,
    channelId: message.messagingChannelId,
    contactId: message.contactId,
    isInbound: message.direction === 'INBOUND',
    templateId: message.template?.id ?? null,
    version,
    stage: stageOf(message),
    isFailed: message.status === 'FAILED',
    errorCode: message.status === 'FAILED' ? (message.error?.code ?? 'UNKNOWN') : null,
    sentAt: dateOf(message.sentAt),
    deliveredAt: dateOf(message.deliveredAt),
    readAt: dateOf(message.readAt),
  };
}

/** A message that failed after it was sent has reached that stage. */
function stageOf({ status, sentAt }: CountableMessage): number {
  if (status === 'READ') return 3;
  if (status === 'DELIVERED') return 2;
  return status === 'SENT' || sentAt !== null ? 1 : 0;
}

function dateOf(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}
