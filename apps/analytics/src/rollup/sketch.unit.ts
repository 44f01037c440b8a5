import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { percentilesOf, RELATIVE_ERROR, sketchBucketOf } from './sketch.policy.js';

const countsOf = (values: readonly number[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(sketchBucketOf(value), (counts.get(sketchBucketOf(value)) ?? 0) + 1);
  return counts;
};

describe('percentiles', () => {
  it('are within the stated error of the true value', () => {
    const parts = [0.5, 0.95];
    const seconds = fc.array(fc.double({ min: 0.001, max: 86_400 * 30, noNaN: true }), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(seconds, (values) => {
        const sorted = [...values].sort((a, b) => a - b);
        const found = percentilesOf(countsOf(values), parts);
        for (const [index, part] of parts.entries()) {
          const truth = sorted[Math.floor(part * (values.length - 1))] ?? NaN;
          expect(Math.abs((found[index] ?? NaN) - truth)).toBeLessThanOrEqual(truth * RELATIVE_ERROR * 1.000_001);
        }
      }),
    );
  });

  it('are those of the rest when a value is taken out again', () => {
    const counts = countsOf([1, 2, 4_000]);
    const bucket = sketchBucketOf(4_000);
    counts.set(bucket, (counts.get(bucket) ?? 0) - 1);
    expect(percentilesOf(counts, [0.95])).toEqual(percentilesOf(countsOf([1, 2]), [0.95]));
  });

  it('are null of nothing', () => {
    expect(percentilesOf(new Map([[3, 0]]), [0.5, 0.95])).toEqual([null, null]);
  });
});
