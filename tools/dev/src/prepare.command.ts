import { findNatsServer } from '@switchboard/embedded-servers';
import { join } from 'node:path';

/** Fetches what tests need and npm does not carry, so that no test's time limit pays for it. @returns the exit code. */
export async function prepare(root: string): Promise<number> {
  const onProgress = (what: string): void => void process.stdout.write(`  … ${what} (once)\n`);
  await findNatsServer({ cacheDir: join(root, '.cache'), onProgress });
  return 0;
}
