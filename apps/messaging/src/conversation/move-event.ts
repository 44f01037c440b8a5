import type { EventDefinition } from '@switchboard/contracts/grammar/define-event';
import type { Actor } from '@switchboard/contracts/grammar/principal';
import {
  conversationClosed,
  conversationOpened,
  conversationUpdated,
  type ConversationEventData,
} from '@switchboard/contracts/messaging/events';
import type { ConversationStatus } from '@switchboard/contracts/messaging/http';
import type { NewEvent } from '@switchboard/outbox';
import { conversationView, type ConversationRow } from './conversation-view.js';

/** A conversation after its move, still locked. */
export interface Move {
  readonly organizationId: string;
  readonly conversation: ConversationRow;
  readonly from: ConversationStatus;
  readonly by: Actor;
  /** Of the event of this move. */
  readonly sequence: number;
  readonly at: Date;
}

/** The one event of a move: opened, closed, or updated for every other state. */
export function moveEvent(move: Move): NewEvent<ConversationEventData> {
  const { organizationId, conversation, from, by, sequence, at } = move;
  return {
    event: eventOf(conversation.status),
    organizationId,
    aggregateId: conversation.id,
    sequence,
    occurredAt: at,
    data: { conversation: conversationView(conversation), change: { from, by } },
  };
}

/** What `opened_by` holds for one who is no message. */
export function openerOf(by: Actor): string {
  switch (by.type) {
    case 'key':
      return `key:${by.keyId}`;
    case 'user':
      return `user:${by.userId}`;
    default:
      return `system:${by.name}`;
  }
}

function eventOf(entered: ConversationStatus): EventDefinition<ConversationEventData> {
  if (entered === 'OPEN') return conversationOpened;
  return entered === 'CLOSED' ? conversationClosed : conversationUpdated;
}
