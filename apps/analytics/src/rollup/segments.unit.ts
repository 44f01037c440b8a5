import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { composed, lengthMs, type Composition } from './segments.policy.js';

const QUARTER_MS = 900_000;
const at = (iso: string): Date => new Date(iso);

/** Every bucket that is read, with its beginning. */
function bucketsOf({ segments }: Composition): { grain: 15 | 60 | 1440; atMs: number }[] {
  return segments.flatMap(({ grain, from, to }) => {
    expect([from.getTime() % lengthMs(grain), to.getTime() % lengthMs(grain)]).toEqual([0, 0]);
    const count = (to.getTime() - from.getTime()) / lengthMs(grain);
    return Array.from({ length: count }, (_none, n) => ({ grain, atMs: from.getTime() + n * lengthMs(grain) }));
  });
}

describe('the composition of points', () => {
  it('has of a day of another zone the UTC day and its edges, which are shared with its neighbours', () => {
    const berlin = composed(['2026-03-01T23:00:00Z', '2026-03-02T23:00:00Z', '2026-03-03T23:00:00Z'].map(at));
    const named = bucketsOf(berlin).map(({ grain, atMs }) => [
      grain,
      new Date(atMs).toISOString().slice(8, 16),
      berlin.usesOf(grain, atMs).map(({ point, by }) => `${by > 0 ? '+' : '-'}${point}`),
    ]);
    expect(named).toEqual([
      [1440, '02T00:00', ['+0']],
      [1440, '03T00:00', ['+1']],
      [60, '01T23:00', ['+0']],
      [60, '02T23:00', ['-0', '+1']],
      [60, '03T23:00', ['-1']],
    ]);
  });

  it('reads at most 16 buckets for a day of any zone, and 3 for an hour', () => {
    for (let quarters = -48; quarters <= 56; quarters++) {
      const bounds = (count: number, lengthQuarters: number): Date[] =>
        Array.from(
          { length: count + 1 },
          (_none, n) => new Date((2_000_064 + quarters + n * lengthQuarters) * QUARTER_MS),
        );
      expect(bucketsOf(composed(bounds(30, 96))).length).toBeLessThanOrEqual(30 * 16 + 16);
      expect(bucketsOf(composed(bounds(720, 4))).length).toBeLessThanOrEqual(720 * 3 + 3);
    }
  });

  it('adds up to each point, and to nothing outside of it', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5_000 }), steps, (first, lengths) => {
        let quarter = 2_000_000 + first;
        const numbers = [quarter, ...lengths.map((length) => (quarter += length))];
        const composition = composed(numbers.map((n) => new Date(n * QUARTER_MS)));
        const sums = new Map<string, number>();
        for (const { grain, atMs } of bucketsOf(composition)) {
          for (const { point, by } of composition.usesOf(grain, atMs)) {
            for (let ms = atMs; ms < atMs + lengthMs(grain); ms += QUARTER_MS) {
              const name = `${point} ${ms / QUARTER_MS}`;
              sums.set(name, (sums.get(name) ?? 0) + by);
            }
          }
        }
        const expected = lengths.flatMap((length, point) =>
          Array.from({ length }, (_none, n) => `${point} ${(numbers[point] ?? 0) + n}`),
        );
        const counted = [...sums].filter(([, sum]) => sum !== 0);
        expect(counted.every(([, sum]) => sum === 1)).toBe(true);
        expect(counted.map(([name]) => name).sort()).toEqual(expected.sort());
      }),
      { numRuns: 100 },
    );
  });
});
