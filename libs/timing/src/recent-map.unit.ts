import { expect, test } from '@jest/globals';
import { RecentMap } from './index.js';

function mapOf(entriesMax: number, keys: string): RecentMap<string, number> {
  const map = new RecentMap<string, number>(entriesMax);
  for (const [index, key] of [...keys].entries()) map.set(key, index);
  return map;
}

test('the entry that was set longest ago makes room for one too many', () => {
  expect([...mapOf(3, 'abcde')]).toEqual([
    ['c', 2],
    ['d', 3],
    ['e', 4],
  ]);
});

test('an entry that is set again is the last to go, and takes no room of others', () => {
  expect([...mapOf(3, 'abcaad').keys()]).toEqual(['c', 'a', 'd']);
});

test('to read an entry keeps it no longer', () => {
  const map = mapOf(2, 'ab');
  expect([map.get('a'), map.has('a')]).toEqual([0, true]);
  map.set('c', 2);
  expect([...map.keys()]).toEqual(['b', 'c']);
});

test('what is deleted leaves its room to others', () => {
  const map = mapOf(2, 'ab');
  map.delete('a');
  map.set('c', 2);
  expect([...map.keys()]).toEqual(['b', 'c']);
});

test('any value may be a key', () => {
  const map = new RecentMap<string | undefined, number>(1);
  map.set(undefined, 1).set('a', 2);
  expect([...map]).toEqual([['a', 2]]);
});
