import { expect, it } from '@jest/globals';
import { unnestColumns } from './unnest-columns.js';

interface Row {
  readonly id: string;
  readonly count: number;
  readonly note: string | null;
}

const rows: readonly Row[] = [
  { id: 'b', count: 2, note: null },
  { id: 'a', count: 1, note: 'first' },
];

it('columns come in the order asked for, their values in the order of the rows', () => {
  const columns: [string[], number[], (string | null)[], string[]] = unnestColumns(rows, [
    'id',
    'count',
    'note',
    ({ id, count }) => `${id}${count}`,
  ]);
  expect(columns).toEqual([
    ['b', 'a'],
    [2, 1],
    [null, 'first'],
    ['b2', 'a1'],
  ]);
});

it('every column of no rows is empty', () => {
  expect(unnestColumns([] as Row[], ['id', 'count'])).toEqual([[], []]);
});

it('a column is a key of the rows, and its values have that type', () => {
  // @ts-expect-error the rows have no such key
  unnestColumns(rows, ['name']);
  // @ts-expect-error counts are numbers
  const wrong: [string[]] = unnestColumns(rows, ['count']);
  expect(wrong).toEqual([[2, 1]]);
});
