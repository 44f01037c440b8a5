import { describe, expect, it } from '@jest/globals';
import { inOrder, PATIENCE_MS } from './event-order.policy.js';

const NOW_MS = Date.parse('2026-02-03T04:05:06Z');

function eventOf(aggregateId: string, sequence: number | null, ageMs = 1_000) {
  const occurredAt = new Date(NOW_MS - ageMs).toISOString();
  const id = `${aggregateId}-${sequence}`;
  return { envelope: { id, subject: 's', organizationId: 'o', aggregateId, sequence, occurredAt, data: null } };
}

/** Ids that are ready, and those that wait. */
function split(events: readonly ReturnType<typeof eventOf>[], last: Record<string, number> = {}) {
  const { ready, waiting, reached } = inOrder(events, new Map(Object.entries(last)), NOW_MS);
  return [ready.map(({ envelope }) => envelope.id), [...waiting], Object.fromEntries(reached)];
}

describe('events of a batch', () => {
  it('are ready one after another, from the first of a line on, and after what is stored', () => {
    const events = [eventOf('a', 1), eventOf('b', 8), eventOf('a', 2), eventOf('b', 9)];
    expect(split(events, { b: 7 })).toEqual([['a-1', 'b-8', 'a-2', 'b-9'], [], { a: 2, b: 9 }]);
  });

  it('wait for the one before them, and those after them too, while other lines go on', () => {
    const events = [eventOf('a', 3), eventOf('a', 4), eventOf('b', 1), eventOf('new', 2)];
    expect(split(events, { a: 1 })).toEqual([['b-1'], ['a-3', 'a-4', 'new-2'], { b: 1 }]);
  });

  it('are ready when they come again, have no number, or are old', () => {
    const old = PATIENCE_MS + 1;
    const events = [eventOf('a', 1), eventOf('x', null), eventOf('b', 7, old), eventOf('b', 8)];
    expect(split(events, { a: 5 })).toEqual([['a-1', 'x-null', 'b-7', 'b-8'], [], { a: 5, b: 8 }]);
  });
});
