import { readFile, rename, writeFile } from 'node:fs/promises';
import { newDemonstrations, type Demonstration } from './demonstration.js';

/**
 * The demonstration organizations of this data folder, made when there are none. The file holds keys in clear and is
 * readable by its owner alone.
 */
export async function demonstrationsIn(path: string): Promise<Demonstration[]> {
  const known = await read(path);
  if (known) return known;
  const made = newDemonstrations();
  // Written whole and then named, so that an interrupted start leaves no half of it.
  await writeFile(`${path}.new`, JSON.stringify(made, null, 2), { mode: 0o600 });
  await rename(`${path}.new`, path);
  return made;
}

async function read(path: string): Promise<Demonstration[] | null> {
  try {
    const kept: unknown = JSON.parse(await readFile(path, 'utf8'));
    // Nobody but `demonstrationsIn` writes this file.
    return kept as Demonstration[];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
