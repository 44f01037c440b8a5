import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { baseEnvironment } from './dev.config.js';

const entry = join(import.meta.dirname, '..', 'entry.mjs');
const program = join(import.meta.dirname, '..', 'dist', 'main.js');

it.each([
  ['the entry script', [entry, 'help']],
  ['the supervisor', [program, 'stop']],
])('a reader that has gone, such as `head`, ends nothing and is no error: %s', async (_what, args) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'closed-'));
  const env = { ...baseEnvironment(), SWITCHBOARD_DATA_DIR: dataDir };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect([code, said]).toEqual([0, '']);
});
