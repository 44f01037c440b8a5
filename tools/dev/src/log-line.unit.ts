import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { logLine } from './log-line.js';

it('is written to the log, and lost where the disk takes nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-log-'));
  const log = openSync(join(folder, 'supervisor.log'), 'a');
  const full = openSync('/dev/full', 'a');
  try {
    logLine('one', log);
    expect(() => logLine('lost', full)).not.toThrow();
    logLine('two', log);
    expect(await readFile(join(folder, 'supervisor.log'), 'utf8')).toBe('one\ntwo\n');
  } finally {
    closeSync(log);
    closeSync(full);
    await rm(folder, { recursive: true });
  }
});
