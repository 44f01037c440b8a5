import type { Cuid } from '../grammar/cuid.js';
import { defineRpc } from '../grammar/define-rpc.js';
import type { Int } from '../grammar/int.js';
import type { IsoTime } from '../grammar/iso-time.js';
import type { LaneHeldReason } from './bulk-events.js';
import type { TemplateParameters } from './template-parameters.js';

/** A recipient of a job whose turn comes soon. Nothing of it is a message before its attempt begins. */
export interface BulkItem {
  /** Of the message that there will be: minted once for the recipient, the same in every repetition. */
  readonly messageId: Cuid;
  /** From 0, in the order of the job. */
  readonly recipientIndex: Int;
  /** E.164, in the form that the caller gave. */
  readonly to: string;
  readonly template: { readonly id: Cuid; readonly name: string; readonly language: string };
  readonly parameters: TemplateParameters;
  /** The rendered body. */
  readonly text: string;
  readonly clientReference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** When it has not begun by then it is skipped as EXPIRED; null: never. */
  readonly expiresAt: IsoTime | null;
}

/** Recipients of one job for its lane. */
export interface SubmitBatchRequest {
  readonly jobId: Cuid;
  readonly messagingChannelId: Cuid;
  /** Attempts in any half-open hour, repetitions included; null: the channel's rate alone. */
  readonly throttlePerHour: Int | null;
  /** 1 to 200. */
  readonly items: readonly BulkItem[];
}

/** What became of a batch. */
export interface SubmittedBatch {
  /** How many lie in the lane, have begun or were skipped by now: all of them, or none when the job was withdrawn. */
  readonly accepted: Int;
  readonly isWithdrawn: boolean;
}

/**
 * Puts recipients of a job into its lane, from where they begin at the pace of job and channel, in the order of their
 * index. Idempotent by message id, after the message has begun too.
 *
 * @throws CHANNEL_NOT_FOUND
 */
export const submitBatchRpc = defineRpc<SubmitBatchRequest, SubmittedBatch>('messaging', 'submit-batch', {
  deadlineMs: 6_000,
});

/** Recipients of one job that were to be handed over, and are not to be sent any more. */
export interface SkipRecipientsRequest {
  readonly jobId: Cuid;
  readonly messagingChannelId: Cuid;
  readonly throttlePerHour: Int | null;
  /** 1 to 200. */
  readonly recipients: readonly Pick<BulkItem, 'recipientIndex' | 'messageId'>[];
}

/** What became of them. */
export interface SkippedRecipients {
  /** Indexes of those that this call skipped; all others were taken, or skipped, before, and go on as they are. */
  readonly skipped: readonly Int[];
  /** None was looked at. */
  readonly isWithdrawn: boolean;
}

/**
 * Skips recipients whose batch may have arrived or not: one that a batch brought goes on, and a batch that comes later brings none of
 * the others. `messaging.bulk-item.skipped` reports these, with `isUnfit`. Idempotent.
 *
 * @throws CHANNEL_NOT_FOUND
 */
export const skipRecipientsRpc = defineRpc<SkipRecipientsRequest, SkippedRecipients>('messaging', 'skip-recipients', {
  deadlineMs: 6_000,
});

/**
 * - PAUSE: nothing of the job begins any more until RESUME, once it is answered: it waits for what was claimed.
 * - RESUME: ends a pause, and every hold but those whose cause lasts.
 * - HOLD: nothing more is claimed, for a reason, by whoever knows a cause that messaging does not; RELEASE ends that reason,
 *   and the lane goes on when there is no other.
 * - WITHDRAW: as PAUSE, for ever; its lane takes no further batch, and what was to be sent again fails.
 */
export type LaneAction = 'PAUSE' | 'RESUME' | 'HOLD' | 'RELEASE' | 'WITHDRAW';

/** What is to happen with a job's lane, whether or not there is one by now. */
export interface ControlLaneRequest {
  readonly jobId: Cuid;
  readonly action: LaneAction;
  /** With HOLD and RELEASE alone. */
  readonly heldReason: LaneHeldReason | null;
  /** With RESUME: causes that last, of which it ends no hold. Missing: none. */
  readonly keptReasons?: readonly LaneHeldReason[];
}

/** A lane as an action left it. */
export interface ControlledLane {
  /** Messages of the job that were claimed, all in all; exact: the action waits for a claim under way. */
  readonly begun: Int;
  /**
   * With WITHDRAW: indexes of recipients that this call took out of the lane, at most 1,000. Repeated until it is empty.
   * `messaging.bulk-item.skipped` reports each of them as JOB_CANCELED too, so that a lost answer loses none.
   */
  readonly withdrawn: readonly Int[];
  /** Whether WITHDRAW was given by now, of whatever time: no other action changes that. Missing: it is not known. */
  readonly isWithdrawn?: boolean;
}

/** Pauses, resumes, holds or withdraws a job's lane. Idempotent. */
export const controlLaneRpc = defineRpc<ControlLaneRequest, ControlledLane>('messaging', 'control-lane', {
  deadlineMs: 6_000,
});

/** How far a job's lane is. */
export interface LaneState {
  /** Recipients that lie in the lane and have not begun. */
  readonly waiting: Int;
  /** Messages that are to be sent again. */
  readonly repeating: Int;
  readonly begun: Int;
  readonly isPaused: boolean;
  readonly heldReason: LaneHeldReason | null;
  /** Attempts a second that the lane may begin now: its throttle or its share of the channel's rate as it is at present. */
  readonly perSecond: number;
}

/** The state of a job's lane, for estimates; zeros when there is none. */
export const laneStateRpc = defineRpc<{ readonly jobId: Cuid }, LaneState>('messaging', 'lane-state', {
  deadlineMs: 5_000,
});

/** Messages to be set apart for a job. */
export interface ReserveQuotaRequest {
  readonly jobId: Cuid;
  /** `YYYY-MM` in UTC: the month in which all of them count. */
  readonly month: string;
  /** Of its recipients, duplicates excluded. */
  readonly count: Int;
  /** What the organization may send in the month; null: counted only. */
  readonly limit: Int | null;
}

/** Whether they were. */
export interface ReservedQuota {
  readonly reserved: boolean;
  /** What is left of the month afterwards; null without a limit. */
  readonly left: Int | null;
}

/**
 * Sets a job's messages apart from the month's quota, all or none, never above the limit. Idempotent by job.
 *
 * A reservation is confirmed by `templates.job.accepted`. One that is not is given back after 15 minutes, when
 * `templates.get-job` says that there is no such job.
 */
export const reserveQuotaRpc = defineRpc<ReserveQuotaRequest, ReservedQuota>('messaging', 'reserve-quota', {
  deadlineMs: 5_000,
});

/** What a job does not use of its reservation. */
export interface ReleaseQuotaRequest {
  readonly jobId: Cuid;
  /** Indexes of recipients that were skipped, at most 5,000; null: the job was never committed. */
  readonly recipients: readonly Int[] | null;
}

/**
 * Gives quota back, once for each recipient however often it is asked, and never for one that has begun. What messaging
 * skips by itself (`messaging.bulk-item.skipped`) it has given back already; to ask again changes nothing.
 */
export const releaseQuotaRpc = defineRpc<ReleaseQuotaRequest, { readonly released: Int }>(
  'messaging',
  'release-quota',
  { deadlineMs: 5_000 },
);
