import { describe, expect, it } from '@jest/globals';
import { LockTrouble } from './lock-trouble.js';

/** Two tenants were found at that moment. */
function troubleAt(nowMs: number): LockTrouble {
  const trouble = new LockTrouble();
  trouble.sharedTimedOut(nowMs);
  trouble.timedOut('a', 'a', nowMs);
  trouble.timedOut('b', 'b', nowMs);
  return trouble;
}

describe('LockTrouble', () => {
  it('has those tried by themselves of which nothing is known, and no one that has passed', () => {
    const trouble = troubleAt(0);
    trouble.passed('c', 0);
    expect(trouble.unproven(['c', 'd'], 1)).toEqual(['d']);
  });

  it('has a tenant that was found tried by itself although others of its keys pass', () => {
    const trouble = troubleAt(0);
    trouble.passed('a', 0);
    expect(trouble.unproven(['a'], 1)).toEqual(['a']);
  });

  it('lasts for 5 s after the last timeout of any, and begins anew after that', () => {
    const trouble = troubleAt(0);
    trouble.timedOut('b', 'b', 4_000);
    expect([trouble.isOfMany(9_000), trouble.unproven(['d'], 9_000)]).toEqual([true, ['d']]);
    expect([trouble.isOfMany(9_001), trouble.unproven(['d'], 9_001)]).toEqual([false, []]);
    trouble.sharedTimedOut(10_000);
    expect(trouble.unproven(['a', 'd'], 10_000)).toEqual([]);
  });

  it('keeps no more than ten thousand that have passed', () => {
    const trouble = troubleAt(0);
    const tenants = Array.from({ length: 10_001 }, (_, index) => `t${index}`);
    for (const tenant of tenants) trouble.passed(tenant, 1);
    expect(trouble.unproven(tenants, 2)).toHaveLength(10_000);
  });

  it('keeps none that passes while nothing has timed out lately', () => {
    const trouble = new LockTrouble();
    trouble.passed('c', 0);
    trouble.sharedTimedOut(1);
    for (const tenant of ['a', 'b']) trouble.timedOut(tenant, tenant, 1);
    expect(trouble.unproven(['c'], 1)).toEqual(['c']);
  });

  it('is none while one organization alone was found, of whatever tenants', () => {
    const trouble = new LockTrouble();
    trouble.sharedTimedOut(0);
    trouble.timedOut('a', 'a', 0);
    trouble.timedOut('a lane', 'a', 0);
    expect([trouble.isOfMany(1), trouble.unproven(['d'], 1)]).toEqual([false, []]);
  });

  it('has locks given up early while it lasts, and those of a batch of several before those of what is tried alone', () => {
    const trouble = troubleAt(0);
    expect([trouble.sharedWaitMs(1), trouble.aloneWaitMs(1)]).toEqual([50, 100]);
    expect(trouble.sharedWaitMs(5_001)).toBe(500);
  });

  it.each([
    [20, [50, 100]],
    [40, [100, 200]],
    [90, [500, 500]],
  ])('waits for longer where runs take long by themselves: %d ms', (tookMs, waits) => {
    const trouble = troubleAt(0);
    for (let run = 0; run < 50; run++) trouble.ran(tookMs, 0);
    expect([trouble.sharedWaitMs(1), trouble.aloneWaitMs(1)]).toEqual(waits);
  });

  it('waits as usual when nothing has passed for 10 s, and briefly again when something has', () => {
    const trouble = troubleAt(0);
    for (let nowMs = 0; nowMs <= 10_001; nowMs += 100) trouble.timedOut('b', 'b', nowMs);
    expect([trouble.aloneWaitMs(10_000), trouble.aloneWaitMs(10_001)]).toEqual([100, 500]);
    trouble.ran(5, 10_001);
    expect(trouble.aloneWaitMs(10_001)).toBe(100);
  });
});
