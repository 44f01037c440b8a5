import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { snapshotProblems, snapshotsToWrite } from '../catalogue/snapshots.js';
import type { Check } from '../check.js';
import { formatted } from '../generated/formatted.js';
import type { Sources } from '../sources.js';

/** Events and rpcs are what was frozen of them, grown by optional fields at most. Source: ADR 0009. */
export const contractVersionsCheck: Check = { name: 'contract versions', run: snapshotProblems };

/**
 * Freezes what is new and what only grew; a change that breaks somebody is left for the check to tell.
 *
 * @returns the paths of what was written
 */
export async function writeSnapshots(sources: Sources): Promise<readonly string[]> {
  const files = snapshotsToWrite(sources);
  for (const { path, content } of files) {
    const target = join(sources.root, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, await formatted(sources, path, JSON.stringify(content, null, 2)));
  }
  return files.map(({ path }) => path);
}
