import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RELATIVE_ERROR, Sketch, sketchBucketOf } from './sketch.policy.js';

const sketchOf = (values: readonly number[]): Sketch => {
  const sketch = new Sketch();
  for (const value of values) sketch.add(sketchBucketOf(value), 1);
  return sketch;
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
        const found = sketchOf(values).percentiles(parts);
        for (const [index, part] of parts.entries()) {
          const truth = sorted[Math.floor(part * (values.length - 1))] ?? NaN;
          expect(Math.abs((found[index] ?? NaN) - truth)).toBeLessThanOrEqual(truth * RELATIVE_ERROR * 1.000_001);
        }
      }),
    );
  });

  it('are those of the rest when a value is taken out again', () => {
    const sketch = sketchOf([1, 2, 4_000]);
    sketch.add(sketchBucketOf(4_000), -1);
    expect(sketch.percentiles([0.95])).toEqual(sketchOf([1, 2]).percentiles([0.95]));
  });

  it('are null of nothing', () => {
    const none = new Sketch();
    none.add(3, 0);
    expect([none.percentiles([0.5, 0.95]), new Sketch().percentiles([0.5])]).toEqual([[null, null], [null]]);
  });
});
