import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { divideSlots, nextBeginAfter, spacingOf, type WaitingLane } from './lane-pace.policy.js';

const HOUR_MS = 3_600_000;
const channel = { nextBeginMs: -Infinity, everyMs: 0.001 };

/** All slots of a throttled lane, claimed at the times given, as a channel without a limit of its own divides them. */
function slotsOf(throttlePerHour: number, looksMs: readonly number[]): number[] {
  const spacing = spacingOf(throttlePerHour);
  const slots: number[] = [];
  let nextBeginMs = -Infinity;
  for (const nowMs of looksMs) {
    const lane: WaitingLane = { spacing, nextBeginMs, waiting: 200 };
    const divided = divideSlots(channel, [lane], { nowMs, untilMs: nowMs + 400, max: 200 });
    slots.push(...divided.slots.map(({ atMs }) => atMs));
    const last = slots.at(-1);
    if (last !== undefined) nextBeginMs = nextBeginAfter(last, spacing);
  }
  return slots;
}

function mostIn(slots: readonly number[], windowMs: number): number {
  let [from, most] = [0, 0];
  slots.forEach((slot, index) => {
    while (slot - (slots[from] ?? 0) >= windowMs) from++;
    most = Math.max(most, index - from + 1);
  });
  return most;
}

describe('the slots of a throttled lane', () => {
  it('are never closer than 3,600 s / N, or more than N / 36,000 in 100 ms, whenever claims look', () => {
    const throttle = fc.oneof(fc.integer({ min: 1, max: 1_000_000 }), fc.constantFrom(1, 1_000, 36_000, 360_000));
    const waits = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(
        throttle,
        waits,
        fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
        (n, gaps, startMs) => {
          let nowMs = startMs;
          const slots = slotsOf(
            n,
            gaps.map((gap) => (nowMs += gap)),
          );
          const perWindow = Math.floor(n / 36_000);
          if (perWindow >= 10) expect(mostIn(slots, 100 - 0.0005)).toBeLessThanOrEqual(perWindow);
          else {
            const closest = Math.min(...slots.map((slot, index) => slot - (slots[index - 1] ?? -Infinity)));
            expect(closest).toBeGreaterThanOrEqual(HOUR_MS / n - 0.0005);
          }
        },
      ),
    );
  });

  it.each([1, 7, 100, 999])('are at most %i in any half-open hour', (n) => {
    const looks = Array.from({ length: 30_000 }, (_, index) => 1_700_000_000_000 + index * 300);
    const slots = slotsOf(n, looks);
    expect(mostIn(slots, HOUR_MS)).toBe(n);
  });

  it('are not caught up with after a pause', () => {
    const slots = slotsOf(3_600, [0, HOUR_MS, HOUR_MS + 100]);
    expect(slots).toEqual([0, HOUR_MS]);
  });
});

describe("a channel's slots", () => {
  const lane = (name: string, waiting: number, more: Partial<WaitingLane> = {}) => {
    return { name, spacing: null, nextBeginMs: -Infinity, waiting, ...more };
  };

  it('go to its lanes in turns, and all to one when it is alone', () => {
    const bounds = { nowMs: 0, untilMs: 400, max: 200 };
    const divided = divideSlots({ nextBeginMs: 0, everyMs: 12.5 }, [lane('large', 1_000), lane('small', 3)], bounds);
    expect(
      divided.slots
        .slice(0, 6)
        .map(({ lane: { name } }) => name)
        .toSorted(),
    ).toEqual(['large', 'large', 'large', 'small', 'small', 'small']);
    expect(divided.slots).toHaveLength(33);
    expect(divided.nextSlotMs).toBe(412.5);
  });

  it('leave a throttled lane to its time and serve the others meanwhile', () => {
    const slow = lane('slow', 5, { spacing: spacingOf(3_600), nextBeginMs: 100 });
    const divided = divideSlots({ nextBeginMs: 0, everyMs: 50 }, [slow, lane('free', 100)], {
      nowMs: 0,
      untilMs: 200,
      max: 9,
    });
    expect(divided.slots.map(({ lane: { name }, atMs }) => `${name} ${atMs}`)).toEqual([
      'free 0',
      'free 50',
      'free 100',
      'slow 150',
      'free 200',
    ]);
  });

  it('end where nothing waits, and say when something may begin next', () => {
    expect(divideSlots(channel, [lane('a', 2)], { nowMs: 5, untilMs: 9, max: 10 })).toMatchObject({ nextSlotMs: null });
    const later = lane('a', 1, { spacing: spacingOf(3_600), nextBeginMs: 900 });
    expect(divideSlots(channel, [later], { nowMs: 5, untilMs: 9, max: 10 })).toEqual({ slots: [], nextSlotMs: 900 });
  });
});
