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
  /** Recipients whose message is still to be sent. */
  readonly queued: Int;
  /** Recipients whose message may have reached the provider: its answer is missing. */
  readonly unconfirmed: Int;
  /** Recipients whose message the provider accepted. */
  readonly sent: Int;
  /** Recipients whose message reached their device. */
  readonly delivered: Int;
  /** Recipients who opened the message. */
  readonly read: Int;
  /** Recipients whose message failed. */
  readonly failed: Int;
  /** Recipients that no message was made for. */
  readonly skipped: Int;
}

/** A bulk send as the API shows it; every field is always present. */
export interface JobView {
  /** The id of the bulk send. */
  readonly id: Cuid;
  /** How far it has come. */
  readonly status: JobStatus;
  /** Set while the status is HELD. */
  readonly heldReason: HeldReason | null;
  /** The template that is sent. */
  readonly templateId: Cuid;
  /** The channel that it is sent from. */
  readonly messagingChannelId: Cuid;
  /** How many attempts in an hour at most; null: the rate of the channel alone. */
  readonly throttlePerHour: Int | null;
  /** How many recipients it has. */
  readonly total: Int;
  /** Recipients by status; together they are `total`. */
  readonly counts: JobCounts;
  /** When it was accepted. */
  readonly createdAt: IsoTime;
  /** When it begins; null: at once. */
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
  /** The id of the bulk send: `GET /v1/templates/send/{id}` reads it. */
  readonly id: Cuid;
  /** How far it has come. */
  readonly status: JobStatus;
  /** How many recipients it has. */
  readonly total: Int;
  /** When it was accepted. */
  readonly createdAt: IsoTime;
}

/** A recipient of a bulk send as the API shows it; every field is always present. */
export interface RecipientView {
  /** Position in the request, from 0. */
  readonly index: Int;
  /** E.164 of the form that was given. */
  readonly to: string;
  /** How far the message of the recipient has come. */
  readonly status: RecipientStatus;
  /** Code of the failure, or why it was skipped: `DUPLICATE`, `OPTED_OUT`, `JOB_CANCELED`, `ERASED`; null otherwise. */
  readonly reason: string | null;
  /** Null until the recipient is taken up, and for one that was skipped before. */
  readonly messageId: Cuid | null;
}
