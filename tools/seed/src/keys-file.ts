import { readFile, rename, writeFile } from 'node:fs/promises';
import { newDemonstrations, newUsersOf, type Demonstration } from './demonstration.js';

/**
 * The demonstration organizations of this data folder, made when there are none. The file holds keys and passwords in clear and is
 * readable by its owner alone.
 *
 * @param more when they are made, so many in addition, of one channel and no people
 */
export async function demonstrationsIn(path: string, more = 0): Promise<Demonstration[]> {
  const known = await read(path);
  // Those of a folder that is older than its users keep everything else.
  const made = known?.map((one) => ({ ...one, users: one.users ?? newUsersOf(one.name) })) ?? newDemonstrations(more);
  if (known?.every(({ users }) => users)) return made;
  // Written whole and then named, so that an interrupted start leaves no half of it.
  await writeFile(`${path}.new`, JSON.stringify(made, null, 2), { mode: 0o600 });
  await rename(`${path}.new`, path);
  return made;
}

type Kept = Omit<Demonstration, 'users'> & Partial<Pick<Demonstration, 'users'>>;

async function read(path: string): Promise<Kept[] | null> {
  try {
    const kept: unknown = JSON.parse(await readFile(path, 'utf8'));
    // Only `demonstrationsIn` writes this file.
    return kept as Kept[];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
