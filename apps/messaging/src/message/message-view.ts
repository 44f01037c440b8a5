import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { MessageEventData } from '@switchboard/contracts/messaging/events';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import type { Message } from './message.entity.js';
import { shownTimes } from './message-progress.policy.js';

/** What the view is made of: the stored row without its tenant. */
export type MessageRow = Omit<Message, 'organizationId'>;

/** The one shape of a message outside of this service. Source: docs/api-behaviour.md#messages-fields. */
export function messageView(row: MessageRow): MessageView {
  const times = shownTimes(row);
  const failed = row.status === 'FAILED' && row.errorCode !== null;
  return {
    id: row.id,
    conversationId: row.conversationId,
    contactId: row.contactId,
    messagingChannelId: row.channelId,
    direction: row.direction,
    type: row.type,
    unsupportedType: row.unsupportedType,
    text: row.text,
    template: row.template,
    clientReference: row.clientReference,
    metadata: row.metadata ?? {},
    jobId: row.jobId,
    status: row.status,
    upstreamMessageId: row.upstreamMessageId,
    error: failed ? { code: row.errorCode, message: row.errorMessage ?? '' } : null,
    createdAt: cuidTime(row.id).toISOString(),
    sentAt: times.sentAt?.toISOString() ?? null,
    deliveredAt: times.deliveredAt?.toISOString() ?? null,
    readAt: times.readAt?.toISOString() ?? null,
    failedAt: times.failedAt?.toISOString() ?? null,
  };
}

/** What an event of a message carries. */
export function messageEventData(row: MessageRow): MessageEventData {
  const message = messageView(row);
  return row.recipientIndex === null ? { message } : { message, recipientIndex: row.recipientIndex };
}
