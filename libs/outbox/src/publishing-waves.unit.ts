import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { publishingWaves, type OutboxRow } from './publishing-waves.js';

const rowOf = (aggregateId: string, index: number): OutboxRow => ({
  id: `e${index}`,
  position: String(index),
  aggregateId,
  subject: 's',
  payload: '{}',
  traceparent: null,
});

describe('publishing waves', () => {
  it('hold every row once, at most one of an aggregate in a wave, and each aggregate in order from the first wave on', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd')), (aggregates) => {
        const rows = aggregates.map(rowOf);
        const waves = publishingWaves(rows);
        expect(waves.flat().toSorted((x, y) => Number(x.position) - Number(y.position))).toEqual(rows);
        for (const aggregate of new Set(aggregates)) {
          const own = waves.map((wave) => wave.filter(({ aggregateId }) => aggregateId === aggregate));
          const events = rows.filter(({ aggregateId }) => aggregateId === aggregate);
          expect(own.map((wave) => wave.length)).toEqual(waves.map((_wave, n) => (n < events.length ? 1 : 0)));
          expect(own.flat()).toEqual(events);
        }
      }),
    );
  });
});
