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
import { UNFIT } from '../recipient/recipient-status.policy.js';

interface EventOf<Data> {
  readonly organizationId: string;
  readonly data: Data;
}

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
    if (event) return ofMessage(event, status);
  }
  const corrected = eventDataOf(envelope, messageCorrected);
  if (corrected) return correctionOf(corrected);
  const unknown = eventDataOf(envelope, messageOutcomeUnknown);
  if (unknown) return named(unknown, 'UNCONFIRMED', null);
  const skipped = eventDataOf(envelope, bulkItemSkipped);
  if (skipped?.data.isUnfit) return named(skipped, 'FAILED', UNFIT);
  return skipped ? named(skipped, 'SKIPPED', skipped.data.isErased ? 'ERASED' : skipped.data.reason) : null;
}

/** Another time of a stage changes nothing here. */
function correctionOf(event: EventOf<MessageEventData>): RecipientOutcome | null {
  const failed = event.data.message.status === 'FAILED' ? ofMessage(event, 'FAILED') : null;
  return failed && { ...failed, isCorrection: true };
}

function ofMessage(
  { organizationId, data }: EventOf<MessageEventData>,
  status: RecipientStatus,
): RecipientOutcome | null {
  const { message, recipientIndex: index } = data;
  const { id: messageId, jobId, error } = message;
  if (!jobId || index === undefined) return null;
  return {
    organizationId,
    jobId,
    index,
    messageId,
    status,
    reason: status === 'FAILED' ? (error?.code ?? null) : null,
  };
}

function named(
  { organizationId, data }: EventOf<BulkRecipient>,
  status: RecipientStatus,
  reason: string | null,
): RecipientOutcome {
  const { jobId, recipientIndex: index, messageId } = data;
  return { organizationId, jobId, index, messageId, status, reason };
}
