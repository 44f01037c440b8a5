import type { Cuid } from '../grammar/cuid.js';
import { defineEvent } from '../grammar/define-event.js';
import type { Int } from '../grammar/int.js';

/** Why a job stands still without a pause. Source: docs/api-behaviour.md#bulk-sends-held. */
export type LaneHeldReason =
  'TEMPLATE_NOT_APPROVED' | 'CHANNEL_DISCONNECTED' | 'QUOTA' | 'SUBSCRIPTION' | 'SPAM_LIMIT' | 'CHANNEL_BLOCKED';

/** Names a recipient of a job with the message that there is, or would have been. */
export interface BulkRecipient {
  readonly jobId: Cuid;
  readonly recipientIndex: Int;
  readonly messageId: Cuid;
}

/** A job's lane and why it stands still. */
export interface LaneHold {
  readonly jobId: Cuid;
  readonly messagingChannelId: Cuid;
  readonly reason: LaneHeldReason;
}

/**
 * It is not known whether the upstream took a message of a job; later evidence or the deadline of 24 hours settles it.
 *
 * @aggregate message
 */
export const messageOutcomeUnknown = defineEvent<BulkRecipient>('messaging', 'message.outcome-unknown', 1);
/**
 * A recipient of a job gets no message: it has opted out or was erased, the job was withdrawn, its time
 * had passed, or it does not fit its template any more. Its quota is given back in the same transaction.
 *
 * @aggregate job
 */
export const bulkItemSkipped = defineEvent<
  BulkRecipient & {
    readonly reason: 'OPTED_OUT' | 'JOB_CANCELED' | 'EXPIRED';
    /** Its contact was erased: it is shown as `ERASED`, and counts as withdrawn where that is not known. */
    readonly isErased?: boolean;
    /** It does not fit its template any more: it is shown as FAILED, and counts as withdrawn where that is not known. */
    readonly isUnfit?: boolean;
  }
>('messaging', 'bulk-item.skipped', 1);
/** A job's lane stands still for a reason that messaging observed or was given. @aggregate job */
export const bulkLaneHeld = defineEvent<LaneHold>('messaging', 'bulk-lane.held', 1);
/** The reason has ended, or an operator of the job resumed it. @aggregate job */
export const bulkLaneReleased = defineEvent<LaneHold>('messaging', 'bulk-lane.released', 1);
