import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '..', '..', '..');
const page = readFileSync(join(root, 'docs', 'security.md'), 'utf8');

describe('docs/security.md', () => {
  it('names tests that exist, for each of the ten risks and each chapter', () => {
    const named = [...page.matchAll(/`([\w./-]+\.(?:unit|int|e2e)\.ts)`/g)].map((match) => match[1] ?? '');
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    const rows = [...page.matchAll(/^\| (?:(\d+) |V(\d+) )[^|]+\| ([^|]+)\|$/gm)];
    expect(rows).toHaveLength(10 + 14);
    for (const [row, , , tests = ''] of rows) expect([row, /\.ts`|^none: /.test(tests)]).toEqual([row, true]);
  });
});
