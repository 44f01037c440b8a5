import type { MessageStatus } from '@switchboard/contracts/messaging/message-facts';

/** What the progress of an outbound message consists of; times are the earliest reported of each kind. */
export interface MessageProgress {
  readonly status: MessageStatus;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly attemptedAt: Date | null;
  readonly sentAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly readAt: Date | null;
  readonly failedAt: Date | null;
}

/** Something that became known of an outbound message. */
export type ProgressFact =
  | { readonly type: 'sent' }
  | { readonly type: 'delivered' | 'read'; readonly at: Date }
  | {
      readonly type: 'failed';
      readonly at: Date;
      readonly code: string;
      readonly message: string;
      /** True when the upstream had taken the message before: it was sent, then failed. */
      readonly afterSending: boolean;
    };

/** Error code of a message whose outcome was still not known at the deadline. */
export const OUTCOME_UNKNOWN = 'UPSTREAM_OUTCOME_UNKNOWN';
/** Error code of a message that was not taken until the deadline. */
export const NEVER_TAKEN = 'UPSTREAM_UNAVAILABLE';
/** Error code of a message that was still to be sent when its bulk send was cancelled. Source: docs/api-behaviour.md#bulk-sends-control. */
export const JOB_CANCELED = 'JOB_CANCELED';
/** Codes that the deadline alone gives: a report of the failure itself wins over them. */
const ASSUMED = new Set([OUTCOME_UNKNOWN, NEVER_TAKEN]);

/** True for the code of a failure that no report has confirmed. */
export function isAssumed(code: string): boolean {
  return ASSUMED.has(code);
}

/** An event that a fact brings about, once in the life of a message. */
export type Milestone = 'sent' | 'delivered' | 'read' | 'failed';

const RANK: Readonly<Record<MessageStatus, number>> = {
  QUEUED: 0,
  SENT: 1,
  FAILED: 2,
  DELIVERED: 3,
  READ: 4,
  RECEIVED: 5,
};

/**
 * Adds a fact to what is known. The result depends on the set of facts alone, never on their order or repetition; each
 * milestone is reached at most once.
 *
 * Source: docs/api-behaviour.md#message-status.
 */
export function withFact(
  known: MessageProgress,
  fact: ProgressFact,
): { readonly progress: MessageProgress; readonly milestones: readonly Milestone[] } {
  const progress = merge(known, fact);
  const milestones: Milestone[] = [];
  if (!known.sentAt && progress.sentAt) milestones.push('sent');
  if (RANK[known.status] < RANK.DELIVERED && RANK[progress.status] >= RANK.DELIVERED) milestones.push('delivered');
  if (RANK[known.status] < RANK.READ && progress.status === 'READ') milestones.push('read');
  if (known.status !== 'FAILED' && progress.status === 'FAILED') milestones.push('failed');
  return { progress, milestones };
}

function merge(known: MessageProgress, fact: ProgressFact): MessageProgress {
  const provesSent = fact.type !== 'failed' || fact.afterSending;
  // `sentAt` is ours: the start of the attempt, whichever report of its success comes first.
  const sentAt = known.sentAt ?? (provesSent ? known.attemptedAt : null);
  const facts = {
    attemptedAt: known.attemptedAt,
    sentAt,
    deliveredAt: fact.type === 'delivered' ? earliest(known.deliveredAt, fact.at) : known.deliveredAt,
    readAt: fact.type === 'read' ? earliest(known.readAt, fact.at) : known.readAt,
    ...failureOf(known, fact),
  };
  return { ...facts, status: statusOf(facts) };
}

type Failure = Pick<MessageProgress, 'failedAt' | 'errorCode' | 'errorMessage'>;

/** A reported failure before an assumed one, then the earliest; of two at the same time the one that sorts first. */
function failureOf(known: MessageProgress, fact: ProgressFact): Failure {
  const { failedAt, errorCode, errorMessage } = known;
  if (fact.type !== 'failed') return { failedAt, errorCode, errorMessage };
  const reported: Failure = { failedAt: fact.at, errorCode: fact.code, errorMessage: fact.message };
  if (!failedAt || errorCode === null) return reported;
  const [isAssumed, isFactAssumed] = [ASSUMED.has(errorCode), ASSUMED.has(fact.code)];
  if (isAssumed !== isFactAssumed) return isAssumed ? reported : { failedAt, errorCode, errorMessage };
  if (fact.at < failedAt) return reported;
  const sortsFirst = errorCode === fact.code ? (errorMessage ?? '') <= fact.message : errorCode < fact.code;
  return failedAt < fact.at || sortsFirst ? { failedAt, errorCode, errorMessage } : reported;
}

function statusOf(facts: Omit<MessageProgress, 'status'>): MessageStatus {
  if (facts.readAt) return 'READ';
  if (facts.deliveredAt) return 'DELIVERED';
  if (facts.failedAt) return 'FAILED';
  return facts.sentAt ? 'SENT' : 'QUEUED';
}

/** The times as the outside sees them: read implies delivered, no stage is before the former, success hides failure. */
export function shownTimes(progress: MessageProgress): {
  readonly sentAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly readAt: Date | null;
  readonly failedAt: Date | null;
} {
  const { sentAt } = progress;
  const delivered = progress.deliveredAt ?? progress.readAt;
  const deliveredAt = delivered && latest(delivered, sentAt);
  const readAt = progress.readAt && latest(progress.readAt, deliveredAt);
  const failedAt = progress.status === 'FAILED' && progress.failedAt ? latest(progress.failedAt, sentAt) : null;
  return { sentAt, deliveredAt, readAt, failedAt };
}

function earliest(known: Date | null, other: Date): Date {
  return known && known <= other ? known : other;
}

function latest(time: Date, notBefore: Date | null): Date {
  return notBefore && notBefore > time ? notBefore : time;
}
