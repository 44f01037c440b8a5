import type { ConversationStatus } from '@switchboard/contracts/messaging/http';

/** Where a conversation stands. */
export interface ConversationState {
  readonly status: ConversationStatus;
  /** When a SNOOZED one returns to OPEN by itself; null: by an inbound message alone. */
  readonly snoozedUntil: Date | null;
}

/** What may be done by hand, a repetition of the present status included. Source: docs/api-behaviour.md#conversation-status. */
const ALLOWED: Readonly<Record<ConversationStatus, readonly ConversationStatus[]>> = {
  OPEN: ['OPEN', 'PENDING', 'SNOOZED', 'CLOSED'],
  PENDING: ['OPEN', 'PENDING', 'SNOOZED', 'CLOSED'],
  SNOOZED: ['OPEN', 'PENDING', 'SNOOZED', 'CLOSED'],
  CLOSED: ['OPEN', 'CLOSED', 'ARCHIVED'],
  ARCHIVED: ['OPEN', 'ARCHIVED'],
};

/**
 * What an inbound message moves to OPEN; ARCHIVED stays. Outbound messages move nothing.
 * Source: docs/api-behaviour.md#conversation-moves.
 */
export const reopenedByInbound: readonly ConversationStatus[] = ['PENDING', 'SNOOZED', 'CLOSED'];

/** Whether a conversation may be moved so by hand; true as well for its present status. */
export function isAllowedTransition(from: ConversationStatus, to: ConversationStatus): boolean {
  return ALLOWED[from].includes(to);
}

/** Whether the update is a no-op, which emits no event. */
export function isSameState(now: ConversationState, wanted: ConversationState): boolean {
  return now.status === wanted.status && now.snoozedUntil?.getTime() === wanted.snoozedUntil?.getTime();
}
