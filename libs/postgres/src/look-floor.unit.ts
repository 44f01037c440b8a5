import { describe, expect, it } from '@jest/globals';
import { LookFloor } from './look-floor.js';

const MINUTE_MS = 60_000;

describe('where looks for what is due begin', () => {
  it('is where the last one found the first, and nowhere once a minute', () => {
    const floor = new LookFloor();
    expect(floor.begin(0)).toBe(-Infinity);
    floor.move(7, -Infinity);
    expect([floor.begin(1), floor.begin(MINUTE_MS - 1)]).toEqual([7, 7]);
    floor.move(9, 7);
    expect([floor.ms, floor.begin(MINUTE_MS)]).toEqual([9, -Infinity]);
    floor.move(8, -Infinity);
    expect([floor.begin(MINUTE_MS + 1), floor.begin(2 * MINUTE_MS)]).toEqual([8, -Infinity]);
  });

  it('is not above what a look at everything has found that began meanwhile', () => {
    const floor = new LookFloor();
    floor.move(9, floor.begin(0));
    const slow = floor.begin(1);
    floor.move(3, floor.begin(MINUTE_MS));
    floor.move(10, slow);
    expect(floor.ms).toBe(3);
  });

  it('stays what is known when a look at everything has failed', () => {
    const floor = new LookFloor();
    floor.begin(0);
    floor.move(7, -Infinity);
    expect([floor.begin(MINUTE_MS), floor.begin(MINUTE_MS + 1)]).toEqual([-Infinity, 7]);
  });
});
