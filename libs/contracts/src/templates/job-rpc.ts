import type { Cuid } from '../grammar/cuid.js';
import { defineRpc } from '../grammar/define-rpc.js';
import type { IsoTime } from '../grammar/iso-time.js';
import type { Page } from '../grammar/page.js';
import type { AcceptedJob, JobView, RecipientStatus, RecipientView } from './job-http.js';

/** Recipients of one chunk at most; a chunk stays below 700,000 bytes of JSON too. */
export const CHUNK_RECIPIENTS_MAX = 500;
/** Recipients of one job at most. Source: docs/api-behaviour.md#bulk-sends-create. */
export const JOB_RECIPIENTS_MAX = 100_000;

/** A recipient whose shape the edge has checked; what depends on the template or the channel is judged at the commit. */
export interface BulkRecipient {
  /** As the caller wrote it, 3 to 32 characters. */
  readonly to: string;
  /** The number that `to` is without a region; null for a national form, and for what is no number at all. */
  readonly phone: {
    /** E.164 of the form that was given. */
    readonly e164: string;
    /** The canonical form of the same subscriber: the first of libs/phone's `aliases`. */
    readonly subscriber: string;
  } | null;
  /** An array by position, an object by name; each 1 to 1,024 characters. Null: left out. */
  readonly variables: readonly string[] | Readonly<Record<string, string>> | null;
  readonly clientReference: string | null;
  /** Null: left out. */
  readonly metadata: Readonly<Record<string, string>> | null;
}

/**
 * Takes a place for a body that is read as a stream: a durable count over all replicas of the gateway.
 *
 * The place is given up by `commit-job`, by `abandon-job`, and by itself a minute after the last chunk. Idempotent by
 * `jobId`, which the edge mints. A batch that fits into one chunk needs no place: `commit-job` takes it along.
 */
export const beginJobRpc = defineRpc<
  {
    readonly jobId: Cuid;
    /** Places of an organization; null: a smaller body, which takes none and is never refused. */
    readonly placesMax: number | null;
  },
  /** False: every place is taken. */
  { readonly isAdmitted: boolean }
>('templates', 'begin-job', { deadlineMs: 5_000 });

/**
 * Stores a chunk of a job that is not there yet; a repeated chunk (by `firstIndex`) changes nothing. Chunks may come in any
 * order and several at once, of one job too.
 *
 * @throws NOT_FOUND when the job has no place, or no longer
 */
export const stageRecipientsRpc = defineRpc<
  {
    readonly jobId: Cuid;
    /** Index of the chunk's first recipient. */
    readonly firstIndex: number;
    /** 1 to `CHUNK_RECIPIENTS_MAX`. */
    readonly recipients: readonly BulkRecipient[];
  },
  Record<string, never>
>('templates', 'stage-recipients', { deadlineMs: 8_000 });

/** What identifies a batch: an `Idempotency-Key`, or the body itself. The two never meet. */
export interface JobKey {
  readonly kind: 'explicit' | 'derived';
  /** SHA-256 in hexadecimal: of the header's value, or of the raw body. */
  readonly sha256: string;
}

/** A whole batch, its chunks staged before or one taken along. */
export interface CommitJobRequest {
  readonly jobId: Cuid;
  readonly key: JobKey;
  /** SHA-256 of the raw body in hexadecimal. */
  readonly bodySha256: string;
  readonly template: { readonly id: Cuid } | { readonly name: string; readonly language: string };
  /** Null: the default channel. */
  readonly messagingChannelId: Cuid | null;
  /** 1 to 1,000,000; null: the channel's rate alone. */
  readonly throttlePerHour: number | null;
  /** In the future and at most 35 days ahead; null: at once. */
  readonly scheduledAt: IsoTime | null;
  /** Recipients in all. */
  readonly total: number;
  /** All of them, for a batch of one chunk; null: they are staged. */
  readonly recipients: readonly BulkRecipient[] | null;
  /** What the organization may send in a UTC month; absent: counted only. */
  readonly messagesPerMonth?: number;
}

/** The job of a key. */
export interface KeyedJob {
  readonly job: AcceptedJob;
  /** The job was there before this request. */
  readonly isReplay: boolean;
  /** The explicit key was first used with another body. */
  readonly isMismatch: boolean;
}

/**
 * Validates a batch and makes it a job, or answers the job that its key has already.
 *
 * Idempotent by `jobId`: asked again after a lost answer, it answers the same with `isReplay` false. A refusal frees the
 * key, the place and what is staged. Twins wait for the first.
 *
 * @throws CHANNEL_NOT_FOUND, TEMPLATE_NOT_FOUND, UPSTREAM_NOT_CONNECTED, TEMPLATE_NOT_APPROVED, INVALID_PHONE and
 * TEMPLATE_VARIABLES_MISMATCH with the first five faulty indexes, PAYMENT_REQUIRED for the quota, in this order; before
 * them VALIDATION_FAILED for `scheduledAt`; SERVICE_UNAVAILABLE when chunks are missing
 */
export const commitJobRpc = defineRpc<CommitJobRequest, KeyedJob>('templates', 'commit-job', { deadlineMs: 20_000 });

/** Removes what is staged of a job that is not there, its place included. A job that is there stays. */
export const abandonJobRpc = defineRpc<{ readonly jobId: Cuid }, Record<string, never>>('templates', 'abandon-job', {
  deadlineMs: 5_000,
});

/** The job that a key has already; null when the key is free. Waits for nothing: a job under way is not there yet. */
export const findJobByKeyRpc = defineRpc<
  { readonly key: JobKey; readonly bodySha256: string },
  { readonly found: KeyedJob | null }
>('templates', 'find-job-by-key', { deadlineMs: 5_000 });

/** One job of the organization. @throws JOB_NOT_FOUND */
export const getJobRpc = defineRpc<{ readonly id: Cuid }, JobView>('templates', 'get-job', { deadlineMs: 5_000 });

/** Jobs of the organization, newest first. */
export const listJobsRpc = defineRpc<{ readonly limit: number; readonly cursor: string | null }, Page<JobView>>(
  'templates',
  'list-jobs',
  { deadlineMs: 5_000 },
);

/** A page of a job's recipients. */
export interface ListRecipientsRequest {
  readonly jobId: Cuid;
  /** 1 to 100. */
  readonly limit: number;
  readonly cursor: string | null;
  /** Null stands for no filter. */
  readonly status: RecipientStatus | null;
}

/** Recipients of one job in the order of the request. @throws JOB_NOT_FOUND */
export const listRecipientsRpc = defineRpc<ListRecipientsRequest, Page<RecipientView>>('templates', 'list-recipients', {
  deadlineMs: 5_000,
});

/** What is done to a job by hand. */
export type JobAction = 'cancel' | 'pause' | 'resume';

/** Cancels, pauses or resumes a job; one that is so already stays so. @throws JOB_NOT_FOUND, INVALID_TRANSITION */
export const controlJobRpc = defineRpc<{ readonly id: Cuid; readonly action: JobAction }, JobView>(
  'templates',
  'control-job',
  { deadlineMs: 8_000 },
);

/** What the gateway asks templates for of bulk sends. */
export const jobRequests = [
  beginJobRpc,
  stageRecipientsRpc,
  commitJobRpc,
  abandonJobRpc,
  findJobByKeyRpc,
  getJobRpc,
  listJobsRpc,
  listRecipientsRpc,
  controlJobRpc,
];
