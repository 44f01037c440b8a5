import { describe, expect, it } from '@jest/globals';
import { inOrder, NO_PATIENCE, type Patience } from './event-order.policy.js';

function eventOf(aggregateId: string, sequence: number | null) {
  const id = `${aggregateId}-${sequence}`;
  const occurredAt = '2026-02-03T04:05:06Z';
  return { envelope: { id, subject: 's', organizationId: 'o', aggregateId, sequence, occurredAt, data: null } };
}

const closed: string[] = [];
const FOR_EVER: Patience = { restMs: () => 1, close: (line) => closed.push(line) };

/** Ids that are ready, and those that wait. */
function split(
  events: readonly ReturnType<typeof eventOf>[],
  last: Record<string, number> = {},
  patience: Patience = FOR_EVER,
) {
  const { ready, waiting, reached } = inOrder(events, new Map(Object.entries(last)), patience);
  return [ready.map(({ envelope }) => envelope.id), [...waiting], Object.fromEntries(reached)];
}

describe('events of a batch', () => {
  it('are ready one after another, from the first of a line on, and after what is stored', () => {
    const events = [eventOf('a', 1), eventOf('b', 8), eventOf('a', 2), eventOf('b', 9)];
    expect(split(events, { b: 7 })).toEqual([['a-1', 'b-8', 'a-2', 'b-9'], [], { a: 2, b: 9 }]);
  });

  it('are in the order of their line, however they came, and keep the places of their line', () => {
    const events = [eventOf('a', 3), eventOf('b', 1), eventOf('x', null), eventOf('a', 1), eventOf('a', 2)];
    expect(split(events)[0]).toEqual(['a-1', 'b-1', 'x-null', 'a-2', 'a-3']);
  });

  it('wait for the one before them, and those after them too, while other lines go on', () => {
    const events = [eventOf('a', 4), eventOf('a', 3), eventOf('b', 1), eventOf('new', 2)];
    expect(split(events, { a: 1 })).toEqual([['b-1'], ['a-3', 'a-4', 'new-2'], { b: 1 }]);
  });

  it('are ready when they come again, or have no number', () => {
    const events = [eventOf('a', 1), eventOf('x', null)];
    expect(split(events, { a: 5 })).toEqual([['a-1', 'x-null'], [], { a: 5 }]);
  });

  it('are ready in their order when the patience for what is missing is over', () => {
    const events = [eventOf('a', 9), eventOf('a', 7), eventOf('a', 8)];
    expect(split(events, { a: 5 }, NO_PATIENCE)).toEqual([['a-7', 'a-8', 'a-9'], [], { a: 9 }]);
    const once: Patience = { ...FOR_EVER, restMs: (_envelope, last) => (last === 5 ? 0 : 1) };
    expect(split([eventOf('a', 10), ...events.slice(1)], { a: 5 }, once)).toEqual([['a-7', 'a-8'], ['a-10'], { a: 8 }]);
  });

  it('close the gap of their line when they are its next, and not when they come late', () => {
    closed.length = 0;
    split([eventOf('a', 1), eventOf('b', 3)], { b: 5 });
    expect(closed).toEqual(['a']);
  });
});
