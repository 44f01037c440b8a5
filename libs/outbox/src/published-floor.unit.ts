import { describe, expect, it } from '@jest/globals';
import { PublishedFloor } from './published-floor.policy.js';

describe('the floor', () => {
  it('passes what was read when the writers of that time are gone and a later look finds nothing unpublished', () => {
    const floor = new PublishedFloor();
    floor.observe({ first: null, writers: [] }, 10);
    // No writer was left after its snapshot was taken; what committed in between is found by the next look.
    expect(floor.position).toBe(0);
    floor.observe({ first: null, writers: ['3/7'] }, 10);
    expect(floor.position).toBe(10);
  });

  it('waits for a writer of the time at which the position was read, and for no later one', () => {
    const floor = new PublishedFloor();
    floor.observe({ first: null, writers: ['3/7', '4/1'] }, 10);
    floor.observe({ first: null, writers: ['3/7', '4/2'] }, 20);
    floor.observe({ first: null, writers: ['3/7', '5/1'] }, 30);
    expect(floor.position).toBe(0);
    floor.observe({ first: null, writers: ['3/8', '5/2'] }, 40);
    floor.observe({ first: null, writers: ['5/2'] }, 40);
    expect(floor.position).toBe(10);
  });

  it('stays below the first event that is not published, such as one of a writer that has just ended', () => {
    const floor = new PublishedFloor();
    floor.observe({ first: null, writers: ['3/7'] }, 10);
    floor.observe({ first: null, writers: [] }, 10);
    floor.observe({ first: 4, writers: [] }, 12);
    expect(floor.position).toBe(3);
    floor.observe({ first: 4, writers: [] }, 12);
    expect(floor.position).toBe(3);
    floor.observe({ first: null, writers: [] }, 12);
    expect(floor.position).toBe(12);
  });

  it('never goes back, and follows nothing that was not read', () => {
    const floor = new PublishedFloor();
    for (let look = 0; look < 3; look++) floor.observe({ first: null, writers: [] }, 5);
    floor.observe({ first: 2, writers: [] }, 5);
    floor.observe({ first: null, writers: [] }, 5);
    expect(floor.position).toBe(5);
  });
});
