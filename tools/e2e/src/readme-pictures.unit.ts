import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { pictureFolder, readmePictures } from './readme-pictures.js';

const root = resolve(import.meta.dirname, '..', '..', '..');
const names = Object.keys(readmePictures);
const BYTES_MAX = 100_000;

describe('the pictures of the README', () => {
  it('are all shown in it, with words for who does not see them, and no others are kept', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const shown = [...readme.matchAll(/!\[([^\]]+)\]\(docs\/pictures\/(\w+)\.svg\)/g)].map(([, words, name]) => [
      name,
      words,
    ]);
    expect(Object.fromEntries(shown)).toEqual(readmePictures);
    expect((await readdir(join(root, pictureFolder))).sort()).toEqual(names.map((name) => `${name}.svg`).sort());
  });

  it.each(names)('%s is small, and made of shapes and text alone', async (name) => {
    const svg = await readFile(join(root, pictureFolder, `${name}.svg`), 'utf8');
    expect(svg.length).toBeGreaterThan(5_000);
    expect(svg.length).toBeLessThan(BYTES_MAX);
    const elements = new Set([...svg.matchAll(/<([a-zA-Z]+)/g)].map(([, element]) => element));
    const known = ['svg', 'title', 'rect', 'text', 'path', 'circle', 'ellipse', 'line', 'polyline', 'polygon'];
    expect([...elements].filter((element) => !known.includes(element ?? ''))).toEqual([]);
    // No reference leads out of it, no style sheet and no handler of events is in it.
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/href|url\(|style=|\son\w+=|="[a-z]+:/i);
    expect(svg).not.toMatch(/svc_live_|whsec_/);
  });
});
