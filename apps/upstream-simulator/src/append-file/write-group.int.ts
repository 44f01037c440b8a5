import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppendFile } from './append-file.js';
import { WriteGroup } from './write-group.js';

describe('WriteGroup', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'write-group-'));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('lets nothing out before the lines of every file in the group are written', async () => {
    const paths = [join(folder, 'a.jsonl'), join(folder, 'b.jsonl')];
    const group = new WriteGroup();
    const files = paths.map((path) => new AppendFile(path));
    for (const file of files) group.add(file);

    files[0]?.append('first');
    const seen = new Promise<string[]>((resolve) => {
      group.afterWritten(() => resolve(paths.map((path) => readFileSync(path, 'utf8'))));
    });
    files[1]?.append('second, in the same turn');
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['', '']);

    expect(await seen).toEqual(['first\n', 'second, in the same turn\n']);
    for (const file of files) file.close();
  });

  it('reads a line at its position, written or not, also after characters of several bytes', () => {
    const file = new AppendFile(join(folder, 'c.jsonl'));
    const positions = ['zażółć 👍', 'plain', ''].map((line) => file.append(line));

    expect(positions.map((position) => file.read(position))).toEqual(['zażółć 👍', 'plain', '']);
    file.close();
    const again = new AppendFile(join(folder, 'c.jsonl'));
    const lines: string[] = [];
    again.readLines((line, position) => {
      lines.push(line);
      expect(again.read(position)).toBe(line);
    });
    expect(lines).toEqual(['zażółć 👍', 'plain', '']);
    again.close();
  });

  const long = 'x'.repeat(3 << 20);
  it.each([
    ['nothing', '', ''],
    ['whole lines', 'one\ntwo\n', 'one\ntwo\n'],
    ['a line cut short', 'one\ntw', 'one\n'],
    ['a long line cut short', `one\n${long}`, 'one\n'],
    ['a long line before one cut short', `${long}\ntw`, `${long}\n`],
    ['only a line cut short', long, ''],
  ])('keeps whole lines of %s', (name, before, after) => {
    const path = join(folder, `${name}.txt`);
    writeFileSync(path, before);
    const file = new AppendFile(path);
    file.append('next');
    file.close();
    expect(readFileSync(path, 'utf8') === `${after}next\n`).toBe(true);
  });
});
