import { laneByClock, type LaneState } from '../lane/lane.policy.js';
import { isRetryDue } from './retry.policy.js';

/** What a pending delivery waits for. Times are milliseconds since 1970 by the database's clock. */
export interface DeliveryWait {
  readonly dueAtMs: number;
  /** Of its webhook. */
  readonly lane: LaneState;
  readonly nowMs: number;
}

/**
 * The earliest time of the next attempt: not before a pause of the webhook ends, or its next probe. What lies further ahead than it can be set,
 * by a clock that has stepped back since, is over now, as it is for the webhook's next turn.
 *
 * @param timeScale multiplies the waits
 */
export function nextAttemptMs({ dueAtMs, lane, nowMs }: DeliveryWait, timeScale: number): number {
  const { heldUntilMs, probing } = laneByClock(lane, nowMs, timeScale);
  const ownMs = isRetryDue(dueAtMs, nowMs, timeScale) ? Math.min(dueAtMs, nowMs) : dueAtMs;
  return Math.max(ownMs, heldUntilMs ?? ownMs, probing?.nextAtMs ?? ownMs);
}
