import { expect, it } from '@jest/globals';
import { readKeysetPage } from './page.js';

const numbers = [1, 2, 3, 4, 5];
const asked: number[] = [];
const page = (from: number, limit: number): ReturnType<typeof readKeysetPage> =>
  readKeysetPage(
    limit,
    async (rowsMax) => {
      asked.push(rowsMax);
      return numbers.slice(from, from + rowsMax);
    },
    (row) => `c${row}`,
    (row) => ({ row }),
  );

it('a page asks for one row more than it shows, and has a cursor only when that row is there', async () => {
  expect(await page(0, 2)).toEqual({ items: [{ row: 1 }, { row: 2 }], nextCursor: 'c2' });
  expect(await page(3, 2)).toEqual({ items: [{ row: 4 }, { row: 5 }] });
  expect(await page(2, 2)).toEqual({ items: [{ row: 3 }, { row: 4 }], nextCursor: 'c4' });
  expect(await page(5, 2)).toEqual({ items: [] });
  expect(asked).toEqual([3, 3, 3, 3]);
});
