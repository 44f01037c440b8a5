import { expect, test } from '@jest/globals';
import { remember } from './remember.js';

test('of too many entries the one that was set longest ago is forgotten', () => {
  const map = new Map<string, number>();
  for (const [index, key] of [...'abacd'].entries()) remember(map, key, index, 3);
  expect([...map]).toEqual([
    ['a', 2],
    ['c', 3],
    ['d', 4],
  ]);
});
