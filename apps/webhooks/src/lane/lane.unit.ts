import { describe, expect, it } from '@jest/globals';
import {
  isExhausted,
  isProbe,
  laneAfter,
  newLane,
  openedLane,
  type EndedAttempt,
  type LaneState,
} from './lane.policy.js';

function after(lane: LaneState, ...ends: readonly (Partial<EndedAttempt> & { beganAtMs: number })[]): LaneState {
  return ends.reduce(
    (former, end) =>
      laneAfter(
        former,
        {
          endedAtMs: end.beganAtMs + 10,
          recordedAtMs: end.endedAtMs ?? end.beganAtMs + 10,
          isSuccess: true,
          counts: true,
          retryAfterMs: null,
          ...end,
        },
        1,
        () => 0,
      ),
    lane,
  );
}

const failed = { isSuccess: false } as const;

describe('requests in flight', () => {
  it('are one until the first success, and twice as many after each, to 64', () => {
    const sizes = [newLane.windowMax];
    let lane = newLane;
    for (let time = 0; time < 8; time++) sizes.push((lane = after(lane, { beganAtMs: time })).windowMax);
    expect(sizes).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64]);
  });

  it('are one probe after a failure, 1 s after it, doubling to 60 s, until a probe succeeds', () => {
    let lane = after({ ...newLane, windowMax: 64 }, { beganAtMs: 0, ...failed });
    const pauses: number[] = [];
    for (let probe = 0; probe < 8; probe++) {
      const nextAtMs = lane.probing?.nextAtMs ?? 0;
      pauses.push(nextAtMs - (lane.countedUntilMs ?? 0));
      lane = after(lane, { beganAtMs: nextAtMs, ...failed });
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    const healthy = after(lane, { beganAtMs: (lane.probing?.nextAtMs ?? 0) + 5 });
    expect(healthy).toMatchObject({ probing: null, windowMax: 2, consecutiveFailures: 0 });
  });

  it('are probes that come up to 10 % later, never after 60 s, so that receivers that failed together are not probed together', () => {
    const end = { beganAtMs: 0, endedAtMs: 0, recordedAtMs: 0, isSuccess: false, counts: true, retryAfterMs: null };
    const probeAtMs = (lane: LaneState, random: () => number) => laneAfter(lane, end, 1, random).probing?.nextAtMs;
    const failing = { ...newLane, probing: { sinceMs: 0, failedProbes: 9, nextAtMs: 0 } };
    for (const [lane, earliestMs, latestMs] of [
      [newLane, 1_000, 1_100],
      [failing, 60_000, 60_000],
    ] as const) {
      expect(probeAtMs(lane, () => 0)).toBe(earliestMs);
      expect(probeAtMs(lane, () => 1)).toBe(latestMs);
    }
  });

  it('stay single probes when something succeeds that began before the failure', () => {
    const lane = after({ ...newLane, windowMax: 64 }, { beganAtMs: 0, ...failed }, { beganAtMs: 5, endedAtMs: 40 });
    expect(lane).toMatchObject({ windowMax: 1, consecutiveFailures: 0 });
    expect(isProbe(lane, 5)).toBe(false);
    expect(isProbe(lane, 1_010)).toBe(true);
  });
});

describe('consecutive failures', () => {
  it('count one of those that one blip fails, and ten of a receiver that stays dead', () => {
    const blip = Array.from({ length: 64 }, (_, index) => ({ beganAtMs: 0, endedAtMs: 100 + index, ...failed }));
    let lane = after({ ...newLane, windowMax: 64 }, ...blip);
    expect(lane.consecutiveFailures).toBe(1);
    for (let count = 2; count <= 10; count++) {
      expect(isExhausted(lane)).toBe(false);
      lane = after(lane, { beganAtMs: lane.probing?.nextAtMs ?? 0, ...failed });
      expect(lane.consecutiveFailures).toBe(count);
    }
    expect(isExhausted(lane)).toBe(true);
  });

  it('count one of a blip whatever the ends are by the clock of the process, which was behind when the first was sent', () => {
    const blip = [
      { beganAtMs: 0, endedAtMs: 5, recordedAtMs: 100, ...failed },
      { beganAtMs: 10, endedAtMs: 90, recordedAtMs: 100, ...failed },
    ];
    const lane = after({ ...newLane, windowMax: 64 }, ...blip);
    expect(lane).toMatchObject({ consecutiveFailures: 1, probing: { failedProbes: 0 } });
    const later = { beganAtMs: 20, endedAtMs: 120, recordedAtMs: 130 };
    expect(after(lane, { ...later, ...failed }).consecutiveFailures).toBe(1);
    expect(after(lane, later).probing).not.toBeNull();
  });

  it('are not counted of what people send, whose success ends the row all the same', () => {
    const byHand = { counts: false } as const;
    const lane = after(newLane, { beganAtMs: 0, ...failed }, { beganAtMs: 2_000, ...failed, ...byHand });
    expect(lane.consecutiveFailures).toBe(1);
    expect(after(lane, { beganAtMs: 9_000, ...byHand }).consecutiveFailures).toBe(0);
    expect(after(lane, { beganAtMs: 9_000 }).consecutiveFailures).toBe(0);
  });
});

describe('an attempt that a stop of the process has ended', () => {
  const stopped = { ...failed, isStopped: true } as const;

  it('is one of the ten of a receiver that has not answered yet, or not lately: ten stops deactivate it', () => {
    let lane = newLane;
    for (let count = 1; count <= 10; count++) {
      expect(isExhausted(lane)).toBe(false);
      lane = after(lane, { beganAtMs: lane.probing?.nextAtMs ?? 0, ...stopped });
      expect(lane).toMatchObject({ consecutiveFailures: count, probing: { failedProbes: count - 1 } });
    }
    expect(isExhausted(lane)).toBe(true);
  });

  it('changes nothing of a receiver that answers, in however many stops', () => {
    const proven = after(newLane, { beganAtMs: 0 });
    const stops = Array.from({ length: 10 }, (_, stop) => ({ beganAtMs: 20 * stop, ...stopped }));
    expect(after(proven, ...stops)).toEqual(proven);
  });

  it('does not count next to a failure that it began before', () => {
    const lane = after({ ...newLane, windowMax: 64 }, { beganAtMs: 0, endedAtMs: 100, ...failed });
    expect(after(lane, { beganAtMs: 50, endedAtMs: 200, ...stopped })).toEqual(lane);
  });
});

describe('a lane that was opened anew', () => {
  const opened = openedLane(100);

  it('is not changed by what was under way, nor by what that asks for', () => {
    const before = { beganAtMs: 50, endedAtMs: 200 } as const;
    const failure = { ...before, ...failed, retryAfterMs: 3_600_000 };
    expect(after(opened, failure)).toEqual(opened);
    expect(after(opened, before, before, failure)).toEqual(opened);
  });

  it('has the rules of a new one for what begins later', () => {
    const lane = after(opened, { beganAtMs: 100, ...failed, retryAfterMs: 60_000 });
    expect(lane).toMatchObject({ consecutiveFailures: 1, heldUntilMs: 60_110, probing: { sinceMs: 110 } });
    expect(after(opened, { beganAtMs: 100 }).windowMax).toBe(2);
  });

  it('is held by what began before a failure of its own, too', () => {
    const lane = after(
      { ...opened, windowMax: 64 },
      { beganAtMs: 150, endedAtMs: 200, ...failed },
      { beganAtMs: 1_200 },
    );
    expect(lane.probing).toBeNull();
    expect(after(lane, { beganAtMs: 150, endedAtMs: 1_300, ...failed, retryAfterMs: 60_000 })).toMatchObject({
      heldUntilMs: 61_300,
      consecutiveFailures: 0,
    });
  });
});

describe('Retry-After', () => {
  it('holds the webhook for at most an hour, and the waits are scaled', () => {
    const hold = { beganAtMs: 0, endedAtMs: 0, recordedAtMs: 0, counts: true, ...failed };
    expect(after(newLane, { ...hold, retryAfterMs: 120_000 }).heldUntilMs).toBe(120_000);
    expect(after(newLane, { ...hold, retryAfterMs: 1e9 }).heldUntilMs).toBe(3_600_000);
    const scaled = laneAfter(newLane, { ...hold, retryAfterMs: 1e9 }, 0.001, () => 0);
    expect(scaled).toMatchObject({ heldUntilMs: 3_600, probing: { nextAtMs: 1 } });
    const shorter = after(newLane, { ...hold, retryAfterMs: 120_000 }, { ...hold, retryAfterMs: 1_000 });
    expect(shorter.heldUntilMs).toBe(120_000);
  });
});
