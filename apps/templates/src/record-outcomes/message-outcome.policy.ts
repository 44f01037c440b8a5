import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import {
  bulkItemSkipped,
  messageOutcomeUnknown,
  type BulkRecipient,
} from '@switchboard/contracts/messaging/bulk-events';
import {
  messageCorrected,
  messageDelivered,
  messageFailed,
  messageRead,
  messageSent,
  type MessageEventData,
} from '@switchboard/contracts/messaging/events';
import type { RecipientStatus } from '@switchboard/contracts/templates/job-http';
import { eventDataOf } from '@switchboard/platform';
import type { RecipientOutcome } from '../recipient/recipient-outcome.repository.js';

const STAGES = [
  [messageSent, 'SENT'],
  [messageDelivered, 'DELIVERED'],
  [messageRead, 'READ'],
  [messageFailed, 'FAILED'],
] as const satisfies readonly (readonly [unknown, RecipientStatus])[];

/** What an event says of a recipient of a job; null for every other event. */
export function outcomeOf(envelope: EventEnvelope): RecipientOutcome | null {
  for (const [definition, status] of STAGES) {
    const event = eventDataOf(envelope, definition);
    if (!event) continue;
    const { message, recipientIndex } = event.data;
    if (!message.jobId || recipientIndex === undefined) return null;
    const reason = status === 'FAILED' ? (message.error?.code ?? null) : null;
    const { id: messageId, jobId } = message;
    return { organizationId: event.organizationId, jobId, index: recipientIndex, messageId, status, reason };
  }
  const corrected = eventDataOf(envelope, messageCorrected);
  if (corrected) return correctionOf(corrected.organizationId, corrected.data);
  const unknown = eventDataOf(envelope, messageOutcomeUnknown);
  if (unknown) return named(unknown, 'UNCONFIRMED', null);
  const skipped = eventDataOf(envelope, bulkItemSkipped);
  return skipped ? named(skipped, 'SKIPPED', skipped.data.isErased ? 'ERASED' : skipped.data.reason) : null;
}

/** Another time of a stage changes nothing here. */
function correctionOf(organizationId: string, data: MessageEventData): RecipientOutcome | null {
  const { message, recipientIndex: index } = data;
  const { id: messageId, jobId, error } = message;
  if (message.status !== 'FAILED' || !jobId || index === undefined) return null;
  return { organizationId, jobId, index, messageId, status: 'FAILED', reason: error?.code ?? null, isCorrection: true };
}

function named(
  event: { readonly organizationId: string; readonly data: BulkRecipient },
  status: RecipientStatus,
  reason: string | null,
): RecipientOutcome {
  const { jobId, recipientIndex: index, messageId } = event.data;
  return { organizationId: event.organizationId, jobId, index, messageId, status, reason };
}
