import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { format, getFileInfo, resolveConfig } from 'prettier';
import { problemOfName } from './service-name.policy.js';
import { registered, locked, listed } from './workspace-edits.js';

/** What this generator uses of the tree that Nx hands to a generator; nothing is on disk before it returns. */
export interface WorkspaceTree {
  readonly root: string;
  read(path: string, encoding: 'utf8'): string | null;
  write(path: string, content: string): void;
  children(folder: string): string[];
}

const templates = resolve(import.meta.dirname, '..', 'templates', 'service');
const ending = '.template';

/**
 * Writes an empty service: its package, its registration, its entry in the lock file and its row in the README.
 *
 * @throws Error when the name is not possible or a file is not as it is expected
 */
export async function generateService(tree: WorkspaceTree, { name }: { readonly name: string }): Promise<void> {
  const problem = problemOfName(name, (folder) => tree.children(folder));
  if (problem !== undefined) throw new Error(problem);
  const versions = versionsOf(tree);
  const fill = (text: string): string =>
    text
      .replaceAll('__name__', name)
      .replaceAll('__Name__', `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`)
      .replaceAll('__NAME__', name.toUpperCase())
      .replaceAll(/"__version of (.+)__"/g, (_all, dependency: string) => JSON.stringify(versions(dependency)));
  for (const path of templatePaths()) {
    const target = `apps/${name}/${fill(path.slice(0, -ending.length))}`;
    await writeFormatted(tree, target, fill(readFileSync(join(templates, path), 'utf8')));
  }
  const manifest = read(tree, `apps/${name}/package.json`);
  await writeFormatted(tree, TOPOLOGY, registered(name, read(tree, TOPOLOGY)));
  tree.write(LOCK_FILE, locked(name, manifest, read(tree, LOCK_FILE)));
  await writeFormatted(tree, README, listed(name, read(tree, README)));
}

const TOPOLOGY = 'libs/contracts/src/topology.ts';
const LOCK_FILE = 'package-lock.json';
const README = 'README.md';

function templatePaths(): string[] {
  const files = readdirSync(templates, { recursive: true, encoding: 'utf8' });
  return files.filter((path) => path.endsWith(ending)).sort();
}

/** The version of a dependency that other services use. */
function versionsOf(tree: WorkspaceTree): (dependency: string) => string {
  const manifest = JSON.parse(read(tree, 'apps/contacts/package.json')) as Record<string, Record<string, string>>;
  const known = { ...manifest['dependencies'], ...manifest['devDependencies'] };
  return (dependency) => {
    const version = known[dependency];
    if (version === undefined) throw new Error(`apps/contacts/package.json does not declare ${dependency}`);
    return version;
  };
}

function read(tree: WorkspaceTree, path: string): string {
  const text = tree.read(path, 'utf8');
  if (text === null) throw new Error(`${path} is missing`);
  return text;
}

/** As `npm run format` would leave it: the length of the name decides where lines break. */
async function writeFormatted(tree: WorkspaceTree, path: string, text: string): Promise<void> {
  const { inferredParser } = await getFileInfo(path);
  if (inferredParser === null) return tree.write(path, text);
  const options = await resolveConfig(join(tree.root, path));
  tree.write(path, await format(text, { ...options, filepath: path }));
}
