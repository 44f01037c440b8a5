import { describe, expect, it } from '@jest/globals';
import { isRetryDue } from '../delivery/retry.policy.js';
import { laneAfter, laneByClock, newLane, type LaneState } from './lane.policy.js';

const NOW_MS = 10_000_000_000;
const HOUR_MS = 3_600_000;
const AHEAD_MS = NOW_MS + 5 * HOUR_MS;
const ENDED_AT_MS = NOW_MS + 10;
const END = { beganAtMs: NOW_MS, endedAtMs: ENDED_AT_MS, recordedAtMs: ENDED_AT_MS, counts: true, retryAfterMs: null };

function probing(nextAtMs: number, sinceMs = NOW_MS): LaneState {
  return { ...newLane, probing: { sinceMs, failedProbes: 7, nextAtMs } };
}

describe('a lane by a clock that has not stepped back', () => {
  it('is the same, with the longest waits that there are, and by a clock that was read 10 s ago', () => {
    for (const lagMs of [0, 10_000]) {
      const atMs = NOW_MS + lagMs;
      const lane = {
        ...probing(atMs + 60_000, atMs),
        heldUntilMs: atMs + HOUR_MS,
        countedUntilMs: atMs,
        openedAtMs: atMs,
      };
      expect(laneByClock(lane, NOW_MS, 1)).toBe(lane);
    }
    const scaled = { ...newLane, heldUntilMs: NOW_MS + 10 * HOUR_MS };
    expect(laneByClock(scaled, NOW_MS, 10)).toBe(scaled);
  });
});

describe('a lane by a clock that has stepped back', () => {
  it('has no pause and no probe that lie further ahead than any is set', () => {
    expect(laneByClock({ ...newLane, heldUntilMs: AHEAD_MS }, NOW_MS, 1).heldUntilMs).toBeNull();
    expect(laneByClock(probing(AHEAD_MS), NOW_MS, 1).probing).toMatchObject({ nextAtMs: NOW_MS, failedProbes: 7 });
  });

  it('takes its single requests for probes, and ends with the first that succeeds', () => {
    const lane = laneByClock(probing(AHEAD_MS, AHEAD_MS), NOW_MS, 1);
    const end = { ...END, isSuccess: true };
    expect(laneAfter(lane, end, 1)).toMatchObject({ probing: null, windowMax: 2 });
  });

  it('counts the failures of what begins from then on', () => {
    const lane = laneByClock({ ...newLane, countedUntilMs: AHEAD_MS, openedAtMs: AHEAD_MS }, NOW_MS, 1);
    const end = { ...END, isSuccess: false };
    expect(laneAfter(lane, end, 1).consecutiveFailures).toBe(1);
  });
});

describe('a retry', () => {
  it('is due at its time, and when that lies further ahead than 5 min and 20 %', () => {
    expect([0, 30_000, 375_000, 375_001].map((inMs) => isRetryDue(NOW_MS + inMs, NOW_MS, 1))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });
});
