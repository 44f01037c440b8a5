import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConnectionShares } from './connection-shares.js';

const MAX = 256;

describe('the connections to the upstream', () => {
  it('are never all held by one organization: the next one begins at once, and the next', () => {
    const shares = new ConnectionShares(MAX);
    expect(takeAll(shares, 'flood')).toBe(192);
    for (const other of ['a', 'b', 'c', 'd', 'e']) expect([other, shares.take(other)]).toEqual([other, true]);
  });

  it('are divided evenly among organizations that want all of them', () => {
    const shares = new ConnectionShares(MAX);
    const held = new Map(['a', 'b', 'c'].map((who) => [who, 0]));
    for (let round = 0; round < MAX; round++) {
      for (const [who, count] of held) if (shares.take(who)) held.set(who, count + 1);
    }
    const counts = [...held.values()];
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(MAX * 0.85);
  });

  it('are all free again, in any order of taking and releasing, and never exceed the pool', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 20 }), (all, max) => {
        const shares = new ConnectionShares(max);
        const held: string[] = [];
        for (const [who, takes] of all) {
          if (takes && shares.take(who)) held.push(who);
          else if (!takes && held.includes(who)) shares.release(held.splice(held.indexOf(who), 1)[0] ?? who);
          expect(held.length).toBeLessThanOrEqual(max);
        }
        for (const who of held) shares.release(who);
        expect(takeAll(shares, 'a')).toBe(takeAll(new ConnectionShares(max), 'a'));
      }),
    );
  });

  it('of a small pool give at least one to an organization that comes alone', () => {
    expect(takeAll(new ConnectionShares(1), 'a')).toBe(1);
  });
});

function takeAll(shares: ConnectionShares, who: string): number {
  let taken = 0;
  while (shares.take(who)) taken++;
  return taken;
}
