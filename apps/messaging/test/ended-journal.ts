import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Listens as the process that made the journal did, and is killed. */
const KILLED = `require('node:net').createServer().listen('killed.sock', () => process.kill(process.pid, 'SIGKILL'))`;

/**
 * A folder, within the given one, as its process leaves it when it is killed now: the journals as they are, and a lock
 * on which no process listens.
 */
export async function endedCopyOf(folder: string, instance: string): Promise<string> {
  const copy = await mkdtemp(join(folder, 'copy-'));
  for (const name of await readdir(folder)) {
    if (name.endsWith('.begun')) await copyFile(join(folder, name), join(copy, name));
  }
  const script = KILLED.replace('killed', instance);
  const [, signal] = await once(spawn(process.execPath, ['--eval', script], { cwd: copy }), 'exit');
  if (signal !== 'SIGKILL') throw new Error(`the process ended by ${String(signal)}`);
  return copy;
}
