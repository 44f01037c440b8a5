import type { UpstreamStatusItem } from '@switchboard/contracts/gateway/events';
import { laneConsequenceOf } from '../dispatch/lane-consequences.policy.js';
import { outcomeOfError } from '../upstream/cloud-errors.policy.js';
import type { UpstreamOutcome } from '../upstream/upstream.js';

/** An older report says nothing of now: somebody may have ended its cause, and resumed what was held for it. */
const NEWS_MAX_MS = 10 * 60_000;
/** Statuses have no HTTP status; the codes that hold something are decided by themselves. */
const NO_HTTP_STATUS = 200;

/**
 * What a failed status reports for which bulk sends have to wait, those of the line before those of its job, as if it were the answer to
 * the send; null for any other. The provider takes a message with 200 and reports afterwards that the account is blocked, or is not paid
 * for, or that the template is paused.
 *
 * Source: provider's "Error codes"; docs/api-behaviour.md#bulk-sends-held.
 */
export function refusalIn({ status, errors = [] }: UpstreamStatusItem): UpstreamOutcome | null {
  if (status !== 'failed') return null;
  const outcomes = errors.map((error) => outcomeOfError(error, NO_HTTP_STATUS));
  const holding = (whose: 'channel' | 'job') =>
    outcomes.find((outcome) => laneConsequenceOf(outcome).hold?.whose === whose);
  return holding('channel') ?? holding('job') ?? null;
}

/** Whether what a status reported at that time is of now. */
export function isNews(at: Date, nowMs: number): boolean {
  return nowMs - at.getTime() <= NEWS_MAX_MS;
}
