import { describe, expect, it } from '@jest/globals';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import { candidatesOf } from './candidates.js';

const lanesOf = (organizationId: string, count: number) =>
  Array.from({ length: count }, (_, lane) => ({ organizationId, webhookId: `${organizationId}-${lane}` }));

describe('the lanes that a turn locks', () => {
  it('are all of them, in their order, when they are few', () => {
    const lanes = [...lanesOf('one', 3), ...lanesOf('other', 1)];
    expect(candidatesOf(lanes, 4)).toEqual(lanes);
  });

  it('have one of each organization before a second one of any, whoever has how many and whatever came first', () => {
    const lanes = [
      ...Array.from({ length: 25 }, (_, loud) => lanesOf(`loud-${loud}`, 20)).flat(),
      ...lanesOf('quiet', 1),
    ];
    const chosen = candidatesOf(lanes, 64);
    expect(new Set(chosen).size).toBe(64);
    expect(chosen.filter(({ organizationId }) => organizationId === 'quiet')).toHaveLength(1);
    expect(new Set(chosen.slice(0, 26).map(({ organizationId }) => organizationId)).size).toBe(26);
  });

  it('are each at some time, of more organizations than a turn has room for, too', () => {
    const random = new SeededRandom(7);
    const lanes = Array.from({ length: 200 }, (_, organization) => lanesOf(`organization-${organization}`, 2)).flat();
    const seen = new Set<object>();
    for (let turn = 0; turn < 200; turn++)
      for (const lane of candidatesOf(lanes, 64, () => random.next())) seen.add(lane);
    expect(seen.size).toBe(lanes.length);
  });
});
