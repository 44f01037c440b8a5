import { describe, expect, it } from '@jest/globals';
import { checkSightings } from './sightings.policy.js';

describe('a sighting of a request', () => {
  const statementOf = (statement: unknown): unknown =>
    checkSightings([{ phone: '+12015550101', profileName: null, messagingId: null, statement }])[0]?.statement;

  it('says which of two statements of one moment came last, where its sender knows that', () => {
    const at = '2026-01-02T00:00:00.000Z';
    expect(statementOf({ id: 'w', at, order: 'c0000001' })).toEqual({ id: 'w', at, order: 'c0000001' });
    for (const order of [undefined, null, 1, 'x']) expect(statementOf({ id: 'w', at, order })).toEqual({ id: 'w', at });
  });
});
