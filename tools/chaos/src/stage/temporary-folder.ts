import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder for one stage; what is made in it is deleted by who asked for it. */
export async function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'switchboard-chaos-'));
}
