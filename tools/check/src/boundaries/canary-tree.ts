import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { textOf, type Sources } from '../sources.js';

/**
 * Builds a workspace of the given files in a temporary folder, calls `use` with it and removes it.
 *
 * It has the real packages' package.json, so that export conditions and declared dependencies are those of the
 * checkout, and the packages installed there; workspace packages lead to the tree's own folders.
 */
export async function withTree<T>(
  sources: Sources,
  files: Readonly<Record<string, string>>,
  use: (root: string) => Promise<T>,
): Promise<T> {
  // The real path: resolved files would otherwise lie outside where the temporary folder is a link.
  const root = await realpath(await mkdtemp(join(tmpdir(), 'check-boundaries-')));
  try {
    await linkPackages(sources, root);
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    return await use(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function linkPackages(sources: Sources, root: string): Promise<void> {
  const scope = join(root, 'node_modules', '@switchboard');
  await mkdir(scope, { recursive: true });
  for (const path of sources.files.keys()) {
    const folder = /^(?:((?:apps|libs|tools)\/[^/]+)\/)?package\.json$/.exec(path);
    if (!folder) continue;
    const text = textOf(sources, path) ?? '{}';
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
    const { name } = JSON.parse(text) as { name: string };
    if (folder[1] !== undefined) await symlink(join(root, folder[1]), join(scope, name.replace('@switchboard/', '')));
  }
  const installed = join(sources.root, 'node_modules');
  for (const name of await readdir(installed)) {
    if (name !== '@switchboard') await symlink(join(installed, name), join(root, 'node_modules', name));
  }
}
