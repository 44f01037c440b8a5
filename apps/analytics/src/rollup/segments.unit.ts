import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lengthMs, segmentsOf } from './segments.policy.js';

const QUARTER_MS = 900_000;
const at = (iso: string): Date => new Date(iso);

describe('segments of a range', () => {
  it('are days within, hours and quarters at the edges', () => {
    const days = ['2026-03-01T10:45:00Z', '2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z', '2026-03-04T02:15:00Z'];
    expect(segmentsOf(days.map(at)).map(({ grain, from }) => [grain, from.toISOString().slice(8, 16)])).toEqual([
      [15, '01T10:45'],
      [60, '01T11:00'],
      [1440, '02T00:00'],
      [60, '04T00:00'],
      [15, '04T02:00'],
    ]);
  });

  it('fill it, and no bucket lies across a bound', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5_000 }), steps, (first, lengths) => {
        let quarter = 2_000_000 + first;
        const bounds = [quarter, ...lengths.map((length) => (quarter += length))].map((n) => new Date(n * QUARTER_MS));
        const segments = segmentsOf(bounds);
        const buckets = segments.flatMap(({ grain, from, to }) => {
          expect((to.getTime() - from.getTime()) % lengthMs(grain)).toBe(0);
          const count = (to.getTime() - from.getTime()) / lengthMs(grain);
          return Array.from({ length: count }, (_none, n) => [from.getTime() + n * lengthMs(grain), lengthMs(grain)]);
        });
        let end = bounds[0]?.getTime();
        for (const [start = 0, length = 0] of buckets) {
          expect([start, start % length]).toEqual([end, 0]);
          end = start + length;
          expect(bounds.some((bound) => bound.getTime() > start && bound.getTime() < start + length)).toBe(false);
        }
        expect(end).toBe(bounds.at(-1)?.getTime());
      }),
      { numRuns: 100 },
    );
  });
});
