import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './metrics-page.js';

const run = promisify(execFile);

/**
 * Runs `npm run admin -- …` on a stack, as an operator does.
 *
 * @returns what it said
 * @throws Error with its exit code and what it said on stderr
 */
export async function operator(dataDir: string, line: string): Promise<string> {
  const program = join(root, 'tools', 'admin', 'dist', 'main.js');
  const options = { env: { SWITCHBOARD_DATA_DIR: dataDir } };
  return (await run(process.execPath, [program, ...line.split(' ')], options)).stdout;
}
