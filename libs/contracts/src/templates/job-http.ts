import type { Cuid } from '../grammar/cuid.js';
import type { Int } from '../grammar/int.js';
import type { IsoTime } from '../grammar/iso-time.js';

/** States of a bulk send. Source: docs/api-behaviour.md#bulk-sends-jobs. */
export const jobStatuses = ['SCHEDULED', 'QUEUED', 'RUNNING', 'PAUSED', 'HELD', 'COMPLETED', 'CANCELED'] as const;
/** One of `jobStatuses`. */
export type JobStatus = (typeof jobStatuses)[number];

/** Why a job holds itself. Source: docs/api-behaviour.md#bulk-sends-held. */
export const heldReasons = [
  'TEMPLATE_NOT_APPROVED',
  'CHANNEL_DISCONNECTED',
  'QUOTA',
  'SUBSCRIPTION',
  'SPAM_LIMIT',
  'CHANNEL_BLOCKED',
] as const;
/** One of `heldReasons`. */
export type HeldReason = (typeof heldReasons)[number];

/** States of a recipient of a bulk send. Source: docs/api-behaviour.md#bulk-sends-jobs. */
export const recipientStatuses = ['QUEUED', 'UNCONFIRMED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'SKIPPED'] as const;
/** One of `recipientStatuses`. */
export type RecipientStatus = (typeof recipientStatuses)[number];

/** Recipients by status: each counts once, and together they are the job's `total`. */
export interface JobCounts {
  readonly queued: Int;
  readonly unconfirmed: Int;
  readonly sent: Int;
  readonly delivered: Int;
  readonly read: Int;
  readonly failed: Int;
  readonly skipped: Int;
}

/** A bulk send as the API shows it; every field is always present. */
export interface JobView {
  readonly id: Cuid;
  readonly status: JobStatus;
  /** Set while the status is HELD. */
  readonly heldReason: HeldReason | null;
  readonly templateId: Cuid;
  readonly messagingChannelId: Cuid;
  readonly throttlePerHour: Int | null;
  readonly total: Int;
  readonly counts: JobCounts;
  readonly createdAt: IsoTime;
  readonly scheduledAt: IsoTime | null;
  /** When its first recipient was taken up. */
  readonly startedAt: IsoTime | null;
  /** When its last recipient left QUEUED, or when it was cancelled. */
  readonly completedAt: IsoTime | null;
  /** Null when it is not known: before the first recipients were taken up, while paused or held, and at the end. */
  readonly estimatedCompletionAt: IsoTime | null;
}

/** A bulk send as its 202 shows it. Source: docs/api-behaviour.md#bulk-sends-create. */
export interface AcceptedJob {
  readonly id: Cuid;
  readonly status: JobStatus;
  readonly total: Int;
  readonly createdAt: IsoTime;
}

/** A recipient of a bulk send as the API shows it; every field is always present. */
export interface RecipientView {
  /** Position in the request, from 0. */
  readonly index: Int;
  /** E.164 of the form that was given. */
  readonly to: string;
  readonly status: RecipientStatus;
  /** Code of the failure, or why it was skipped: `DUPLICATE`, `OPTED_OUT`, `JOB_CANCELED`; null otherwise. */
  readonly reason: string | null;
  /** Null until the recipient is taken up, and for one that was skipped before. */
  readonly messageId: Cuid | null;
}
