import { expect, it } from '@jest/globals';
import { isPlainInShell } from './postgres-binaries.js';

it.each([
  ['/srv/a checkout (ümläut) #1 %41', true],
  ["/srv/it's", true],
  ['/srv/$HOME', false],
  ['/srv/a"b', false],
  ['/srv/a`b', false],
  ['/srv/a\\b', false],
  ['/srv/a\nb', false],
])('initdb finds its neighbours below %j: %p', (folder, isPlain) => {
  expect(isPlainInShell(folder)).toBe(isPlain);
});
