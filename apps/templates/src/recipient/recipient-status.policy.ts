import type { RecipientStatus } from '@switchboard/contracts/templates/job-http';

/**
 * Statuses in the order of what is known: evidence of a later one overrides an earlier one, never the other way round.
 *
 * SKIPPED is below everything that proves a message: a recipient that was withdrawn too late shows what became of it.
 * Source: docs/api-behaviour.md#bulk-sends-jobs, docs/api-behaviour.md#message-status.
 */
const RANKS: Readonly<Record<RecipientStatus, number>> = {
  QUEUED: 0,
  SKIPPED: 1,
  UNCONFIRMED: 2,
  SENT: 3,
  FAILED: 4,
  DELIVERED: 5,
  READ: 6,
};

/** Why a recipient FAILED that gets no message: its variables do not fit the template any more. */
export const UNFIT = 'TEMPLATE_VARIABLES_MISMATCH';

/** What an event says of a recipient. */
export interface Outcome {
  readonly status: RecipientStatus;
  /** Code of a failure, or why it was skipped. */
  readonly reason: string | null;
  /** It says anew why a message failed. */
  readonly isCorrection?: boolean;
}

/** True when a recipient of status `from` becomes `to`. That it fits no template proves no message: one that was skipped stays so. */
export function isRise(from: RecipientStatus, to: Pick<Outcome, 'status' | 'reason'>): boolean {
  const rank = to.status === 'FAILED' && to.reason === UNFIT ? RANKS.SKIPPED : RANKS[to.status];
  return rank > RANKS[from];
}

/** True when a failure is known for another reason now. */
export function isCorrected(from: RecipientStatus, to: Outcome): boolean {
  return from === 'FAILED' && to.status === 'FAILED' && to.isCorrection === true;
}

/** Of two statements about a recipient the one that holds, whatever their order; the first of two that prove no message. */
export function higherOutcome(one: Outcome, other: Outcome): Outcome {
  return isRise(one.status, other) || isCorrected(one.status, other) ? other : one;
}

/** A text of the database as a status. @throws RangeError for another: a bug */
export function recipientStatus(text: string): RecipientStatus {
  if (!(text in RANKS)) throw new RangeError(`unknown status of a recipient: ${text}`);
  return text as RecipientStatus;
}
