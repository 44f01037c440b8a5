import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { putInPlace } from './debian-packages.js';

describe('what was unpacked', () => {
  let folder: string;
  const folders: string[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchboard-packages-'));
    folders.push(folder);
    await mkdir(join(folder, 'unpacked'));
    await writeFile(join(folder, 'unpacked', 'browser'), 'mine');
  });
  afterAll(() => Promise.all(folders.map((one) => rm(one, { recursive: true }))));

  const put = async (isUsable: boolean): Promise<string> => {
    await putInPlace(join(folder, 'unpacked'), join(folder, 'target'), async () => isUsable);
    return readFile(join(folder, 'target', 'browser'), 'utf8');
  };
  const putByAnother = async (): Promise<void> => {
    await mkdir(join(folder, 'target'));
    await writeFile(join(folder, 'target', 'browser'), 'theirs');
  };

  it('is put where nothing is', async () => {
    expect(await put(false)).toBe('mine');
  });

  it('leaves what another process has put there meanwhile and uses', async () => {
    await putByAnother();
    expect(await put(true)).toBe('theirs');
  });

  it('replaces what does not serve', async () => {
    await putByAnother();
    expect(await put(false)).toBe('mine');
  });
});
