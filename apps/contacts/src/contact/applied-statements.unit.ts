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
