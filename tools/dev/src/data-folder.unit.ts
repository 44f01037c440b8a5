import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataFolder } from './data-folder.js';
import { explainSystemError } from './explain.js';

const ROUNDS = 20;
const STARTS = 16;
/** Of a process that has ended. */
const STALE = JSON.stringify({ pid: 1, born: 'before this machine was started' });

/** Each start is a little behind the one before: they meet in all of its steps. */
async function startAfter(turns: number, { path }: DataFolder): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await setImmediate();
  await new DataFolder(path).acquire();
}

describe('a data folder that is started on several times at the same moment', () => {
  let path: string;
  let round = 0;

  beforeEach(async () => void (path = await mkdtemp(join(tmpdir(), 'switchboard-data-folder-'))));
  afterEach(() => rm(path, { recursive: true, force: true }));

  it.each([
    ['none has it', undefined],
    ['a process that was killed had it', STALE],
    ['its lock cannot be read', ''],
  ])('goes to one of them: %s', async (_, lock) => {
    for (let left = ROUNDS; left > 0; left--) {
      const folder = new DataFolder(join(path, String(++round)));
      await folder.acquire();
      await folder.release();
      const lockFile = join(folder.path, 'supervisor.lock');
      if (lock !== undefined) await writeFile(lockFile, lock);
      const starts = await Promise.allSettled(Array.from({ length: STARTS }, (_, turns) => startAfter(turns, folder)));
      expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const [refused] = starts.filter((one) => one.status === 'rejected');
      expect(String(refused?.reason)).toContain('Switchboard runs already');
      expect((await folder.findOwner())?.pid).toBe(process.pid);
      expect((await readdir(folder.path)).filter((name) => name.startsWith('supervisor.lock'))).toHaveLength(1);
    }
  });
});

it.each(['', '/below'])('a data folder that is a file, or below one, is named in one line: "%s"', async (below) => {
  const file = join(await mkdtemp(join(tmpdir(), 'switchboard-data-folder-')), 'file');
  await writeFile(file, '');
  const path = `${file}${below}`;
  const acquired = explainSystemError(path, () => new DataFolder(path).acquire());
  await expect(acquired).rejects.toThrow(
    `The data folder ${path} is a file, or below one: choose another with SWITCHBOARD_DATA_DIR.`,
  );
  const owner = explainSystemError(path, () => new DataFolder(path).findOwner());
  await expect(owner).rejects.toThrow('choose another with SWITCHBOARD_DATA_DIR');
});

it('on a full disk is said to be so, whatever broke for it', async () => {
  const start = (freeBytes: number): Promise<unknown> => {
    const cut = new Error('Connection terminated unexpectedly');
    return explainSystemError(
      '/data',
      () => Promise.reject(cut),
      async () => freeBytes,
    );
  };
  await expect(start(1_000)).rejects.toThrow(
    'The disk is full: free some space for /data (Connection terminated unexpectedly).',
  );
  await expect(start(1e9)).rejects.toThrow(/^Connection terminated unexpectedly$/);
});
