import { describe, expect, it } from '@jest/globals';
import type { MarkedAttempt, PendingDelivery } from '../delivery/delivery.entity.js';
import { newLane, WINDOW_MAX } from '../lane/lane.policy.js';
import { chooseDeliveries } from './choose-deliveries.js';
import { InFlightBudget } from './in-flight-budget.js';
import { OpenLane } from './open-lane.js';

const NOW_MS = 1_000_000;

/** A webhook whose receiver answers well, with so much waiting. */
function laneOf(organizationId: string, webhookId: string, waiting: number, bodyBytes = 1_000): OpenLane {
  const lane = new OpenLane(webhookId, organizationId);
  lane.state = { ...newLane, windowMax: WINDOW_MAX };
  const firsts = Array.from({ length: waiting }, (_, position): PendingDelivery => ({
    webhookId,
    id: `${webhookId}-${position}`,
    organizationId,
    eventId: `${webhookId}-${position}`,
    type: 'message.received',
    line: '',
    position,
    bodyBytes,
    kind: 'AUTOMATIC',
    attempts: 0,
    tries: 0,
    dueAtMs: 0,
  }));
  lane.refill({ firsts, retries: [], marked: [], moreFirsts: false, moreRetries: false });
  return lane;
}

const choose = (lanes: readonly OpenLane[], budget: InFlightBudget, max: number): readonly MarkedAttempt[] =>
  chooseDeliveries({ lanes, nowMs: NOW_MS, budget, max });
const countOf = (chosen: readonly MarkedAttempt[], by: (delivery: PendingDelivery) => string): Map<string, number> =>
  new Map([...Map.groupBy(chosen, ({ delivery }) => by(delivery))].map(([key, { length }]) => [key, length]));

describe('what a turn begins', () => {
  it('is shared evenly by organizations, however many webhooks each has, and within one by its webhooks', () => {
    const loud = Array.from({ length: 20 }, (_, index) => laneOf('loud', `loud-${index}`, 60));
    const chosen = choose(
      [...loud, laneOf('quiet', 'quiet-0', 60), laneOf('quiet', 'quiet-1', 60)],
      budgetOf(4_096),
      80,
    );
    expect(countOf(chosen, ({ organizationId }) => organizationId)).toEqual(
      new Map([
        ['loud', 40],
        ['quiet', 40],
      ]),
    );
    const byWebhook = countOf(chosen, ({ webhookId }) => webhookId);
    expect([byWebhook.get('quiet-0'), byWebhook.get('quiet-1')]).toEqual([20, 20]);
    expect(loud.map(({ webhookId }) => byWebhook.get(webhookId))).toEqual(loud.map(() => 2));
  });

  it('leaves room for a newcomer, whatever others hold and never give back', () => {
    const budget = budgetOf(256);
    // Each turn another organization comes whose receivers never answer.
    const held: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const organizationId = `hangs-${turn}`;
      const lanes = Array.from({ length: 20 }, (_, index) => laneOf(organizationId, `${organizationId}-${index}`, 60));
      held.push(choose(lanes, budget, 512).length);
    }
    expect(held).toEqual([128, 64, 32, 16, 8]);
    expect(choose([laneOf('fresh', 'healthy', 4)], budget, 512)).toHaveLength(4);
  });

  it('counts a large body as the room that it takes', () => {
    const budget = budgetOf(16);
    // 8 units each: the second finds that its webhook holds as much as is free.
    expect(choose([laneOf('first', 'large', 9, 256 * 1024)], budget, 512)).toHaveLength(1);
    expect(choose([laneOf('second', 'small', 9)], budget, 512)).toHaveLength(4);
  });
});

function budgetOf(units: number): InFlightBudget {
  return new InFlightBudget(units);
}
