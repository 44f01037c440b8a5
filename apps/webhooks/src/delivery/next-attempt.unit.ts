import { expect, it } from '@jest/globals';
import { newLane, type LaneState } from '../lane/lane.policy.js';
import { nextAttemptMs } from './next-attempt.policy.js';

const NOW_MS = 10_000_000_000;
const HOUR_MS = 3_600_000;

/** From now on. */
function inMs(dueInMs: number, lane: Partial<LaneState> = {}, timeScale = 1): number {
  return nextAttemptMs({ dueAtMs: NOW_MS + dueInMs, lane: { ...newLane, ...lane }, nowMs: NOW_MS }, timeScale) - NOW_MS;
}

const probe = (nextInMs: number) => ({ probing: { sinceMs: NOW_MS, failedProbes: 1, nextAtMs: NOW_MS + nextInMs } });

it('is when the delivery is due, and not before a pause or the next probe of its webhook', () => {
  expect([inMs(-5_000), inMs(300_000)]).toEqual([-5_000, 300_000]);
  expect(inMs(-5_000, { heldUntilMs: NOW_MS + HOUR_MS })).toBe(HOUR_MS);
  expect(inMs(-5_000, probe(60_000))).toBe(60_000);
  expect(inMs(30_000, { ...probe(10_000), heldUntilMs: NOW_MS + 20_000 })).toBe(30_000);
});

it('is now where the clock has stepped back since: nothing is waited for that lies further ahead than it can be set', () => {
  expect(inMs(5 * HOUR_MS)).toBe(0);
  expect(inMs(-5_000, { heldUntilMs: NOW_MS + 5 * HOUR_MS })).toBe(-5_000);
  expect(inMs(-5_000, probe(5 * HOUR_MS))).toBe(0);
  expect(inMs(5 * HOUR_MS, {}, 100)).toBe(5 * HOUR_MS);
});
