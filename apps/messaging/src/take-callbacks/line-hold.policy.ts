import type { UpstreamStatusItem } from '@switchboard/contracts/gateway/events';
import type { LaneHeldReason } from '@switchboard/contracts/messaging/bulk-events';
import { laneConsequenceOf } from '../dispatch/lane-consequences.policy.js';
import { outcomeOfError } from '../upstream/cloud-errors.policy.js';

/** An older report says nothing of now: somebody may have ended its cause, and resumed what was held for it. */
const NEWS_MAX_MS = 10 * 60_000;
/** Statuses have no HTTP status; the codes that hold a line are decided by themselves. */
const NO_HTTP_STATUS = 200;

/**
 * Why the bulk sends of a line have to wait, as a failed status reports; null for any other. The provider takes a message with 200 and
 * reports afterwards that the account is blocked, or is not paid for.
 *
 * Source: provider's "Error codes"; docs/api-behaviour.md#bulk-sends-held.
 */
export function lineHoldOf({ status, errors = [] }: UpstreamStatusItem): LaneHeldReason | null {
  if (status !== 'failed') return null;
  const holds = errors.map((error) => laneConsequenceOf(outcomeOfError(error, NO_HTTP_STATUS)).hold);
  return holds.find((hold) => hold?.whose === 'channel')?.reason ?? null;
}

/** Whether what a status reported at that time is of now. */
export function isNews(at: Date, nowMs: number): boolean {
  return nowMs - at.getTime() <= NEWS_MAX_MS;
}
