import { describe, expect, it } from '@jest/globals';
import { appliedToBoth, appliedWith } from './applied-statements.policy.js';
import type { AppliedStatements } from './contact.entity.js';

const taking = (applied: AppliedStatements | null, groupId: string): AppliedStatements | null =>
  appliedToBoth(applied, appliedWith({ optOuts: [], statedAt: {}, groupId }));

describe('the groups of opt-outs that a contact took over', () => {
  it('are the last 20: the oldest goes', () => {
    const groups = Array.from({ length: 25 }, (_, index) => `group ${index}`);
    const applied = groups.reduce(taking, null);
    expect(applied?.takenGroups).toEqual(groups.slice(-20));
    expect(taking(applied, 'group 24')?.takenGroups).toEqual(groups.slice(-20));
  });

  it('count from when they were last taken', () => {
    const groups = Array.from({ length: 20 }, (_, index) => `group ${index}`);
    const applied = groups.reduce(taking, null);
    expect(taking(taking(applied, 'group 0'), 'group 20')?.takenGroups).toEqual([
      ...groups.slice(2),
      'group 0',
      'group 20',
    ]);
  });
});

describe('what was stated of both in one moment', () => {
  it('is behind the last of either', () => {
    const stated = (id: string, order?: string): AppliedStatements => ({
      moves: [],
      preferences: { c1: { at: '2026-01-02T00:00:00.000Z', ids: [id], ...(order && { order }) } },
    });
    const both = appliedToBoth(stated('a', 'c0000002'), stated('b', 'c0000001'));
    expect(both?.preferences['c1']).toMatchObject({ ids: ['a', 'b'], order: 'c0000002' });
    expect(appliedToBoth(stated('a'), stated('b', 'c0000001'))?.preferences['c1']?.order).toBe('c0000001');
    expect(appliedToBoth(stated('a'), stated('b'))?.preferences['c1']).not.toHaveProperty('order');
  });
});
