import { describe, expect, it } from '@jest/globals';
import { faultSentence, findShapeFaults, groupByShape, type Variables } from './variable-shape.policy.js';

const needsTwo = (variables: Variables): string | null =>
  Array.isArray(variables) && variables.length === 2 ? null : 'must be an array of 2 strings';
const faultsOf = (batch: readonly Variables[], chunk = 500): ReturnType<typeof findShapeFaults> => {
  const recipients = batch.map((variables) => ({ variables }));
  const groups = [];
  for (let first = 0; first < recipients.length; first += chunk) {
    groups.push(...groupByShape(recipients.slice(first, first + chunk), first));
  }
  return findShapeFaults(groups, needsTwo);
};

describe('variables of a batch', () => {
  it('are judged once for each shape', () => {
    let judged = 0;
    const groups = groupByShape(
      Array.from({ length: 500 }, (_, index) => ({ variables: [`a${index}`, 'b'] })),
      0,
    );
    findShapeFaults([...groups, ...groups], () => {
      judged++;
      return null;
    });
    expect(judged).toBe(1);
  });

  it('name the first five faulty indexes in order, over chunks', () => {
    const batch = Array.from({ length: 40 }, (_, index): Variables => (index % 4 === 3 ? ['a'] : ['a', 'b']));
    batch[9] = { name: 'x' };
    const { faults, hasMore } = faultsOf(batch, 8);
    expect(faults.map(({ index }) => index)).toEqual([3, 7, 9, 11, 15]);
    expect(hasMore).toBe(true);
  });

  it('name the first five of a chunk in which every recipient differs', () => {
    const batch = Array.from({ length: 500 }, (_, index): Variables => ({ [`v${index}`]: 'x' }));
    expect(faultsOf([['a', 'b'], ...batch]).faults.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5]);
  });

  it('that are left out, empty or null are the same', () => {
    expect(groupByShape([{ variables: null }, { variables: [] }, { variables: {} }], 7)).toMatchObject([
      { indexes: [7, 8, 9] },
    ]);
  });

  it('differ by an https URL in the first place or as the header', () => {
    const shapes = (...batch: Variables[]): number =>
      groupByShape(
        batch.map((variables) => ({ variables })),
        0,
      ).length;
    expect(shapes(['https://a.example/b.png'], ['http://a.example/b.png'])).toBe(2);
    expect(shapes({ header: 'https://a.example/b.png' }, { header: 'x' })).toBe(2);
    expect(shapes({ header: 'x', header_: 'https://a.example/b.png' }, { header: 'x', header_: 'x' })).toBe(2);
    expect(shapes(['x'], ['y'], ['https://'])).toBe(1);
  });

  it('are refused in one sentence', () => {
    const { faults, hasMore } = faultsOf([['a'], ['a', 'b']]);
    const named = [
      ...faults.map((fault) => ({ ...fault, field: 'variables' })),
      { index: 1, field: 'to', why: 'is not' },
    ];
    expect(faultSentence(named, hasMore)).toBe(
      '`recipients[0].variables` must be an array of 2 strings; `recipients[1].to` is not',
    );
    expect(faultSentence(named.slice(1), true)).toBe('`recipients[1].to` is not; and more');
  });
});
