import { newCuidAt } from '@switchboard/contracts/grammar/cuid';
import type { MarkedAttempt, PendingDelivery } from '../delivery/delivery.entity.js';
import type { InFlightBudget } from './in-flight-budget.js';
import type { OpenLane } from './open-lane.js';

/** The request ends within 10 s; the rest is for the commits around it. */
export const ATTEMPT_LEASE_MS = 15_000;

/** What of one turn may begin. */
export interface ChooseOptions {
  readonly lanes: readonly OpenLane[];
  /** The database's clock. */
  readonly nowMs: number;
  readonly budget: InFlightBudget;
  /** Attempts that a turn begins at most. */
  readonly max: number;
}

/** Who holds the room that a request takes. */
export function holdersOf({ webhookId, organizationId }: PendingDelivery): readonly string[] {
  return [webhookId, organizationId];
}

/**
 * Chooses the attempts that begin now, and marks them in their lanes and in the budget.
 *
 * Organizations take turns, and within each its webhooks: one delivery at a time, until none may begin.
 */
export function chooseDeliveries({ lanes, nowMs, budget, max }: ChooseOptions): MarkedAttempt[] {
  const chosen: MarkedAttempt[] = [];
  let rings = [...Map.groupBy(lanes, ({ organizationId }) => organizationId).values()];
  while (rings.length > 0 && chosen.length < max) {
    rings = rings.filter((ring) => {
      const attempt = chosen.length < max ? chooseOfRing(ring, nowMs, budget) : null;
      if (attempt) chosen.push(attempt);
      return attempt !== null;
    });
  }
  return chosen;
}

/** The next lane of an organization that may begin something goes to the end of its ring; one that may not leaves it. */
function chooseOfRing(ring: OpenLane[], nowMs: number, budget: InFlightBudget): MarkedAttempt | null {
  for (let lane = ring.shift(); lane; lane = ring.shift()) {
    const delivery = lane.slots(nowMs) > 0 ? lane.next(nowMs) : null;
    if (delivery === null || !budget.fits(holdersOf(delivery), delivery.bodyBytes)) continue;
    const attempt = { delivery, id: newCuidAt(nowMs), beganAtMs: nowMs, leaseUntilMs: nowMs + ATTEMPT_LEASE_MS };
    lane.begin(attempt);
    budget.take(holdersOf(delivery), delivery.bodyBytes);
    ring.push(lane);
    return attempt;
  }
  return null;
}
