import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './run-command.js';

/** The files that checks look at: what is tracked and what is about to be, never what Git ignores. */
export interface Sources {
  /** Absolute folder that `paths` are relative to. */
  readonly root: string;
  /** Every file with its content, by path with `/`, sorted. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** A file's text, or undefined when there is none at this path. */
export function textOf(sources: Sources, path: string): string | undefined {
  return sources.files.get(path)?.toString('utf8');
}

/** The TypeScript files, with their text, in order of their paths. */
export function typescriptFiles(sources: Sources): readonly { readonly path: string; readonly text: string }[] {
  return [...sources.files]
    .filter(([path]) => /\.tsx?$/.test(path))
    .map(([path, content]) => ({ path, text: content.toString('utf8') }));
}

/** True for specs of any level and for what lies in a package's `test` folder. */
export function isTest(path: string): boolean {
  return /\.(unit|int|e2e|bench)\.tsx?$/.test(path) || /^(apps|libs|tools)\/[^/]+\/test\//.test(path);
}

/** True for a TypeScript file that a generator writes: it is as long as what it is made from. */
export function isGenerated(path: string): boolean {
  return path.endsWith('.generated.ts');
}

/**
 * Reads the checkout at `root`.
 *
 * @throws Error when it is not a Git checkout: without Git sources and build results cannot be distinguished.
 */
export async function readSources(root: string): Promise<Sources> {
  const listed = await runCommand('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  });
  if (listed.exitCode !== 0) throw new Error(`the checks need a Git checkout: ${listed.output}`);
  const paths = [...new Set(listed.output.split('\0').filter((path) => path !== ''))].sort();
  const files = new Map<string, Buffer>();
  for (const path of paths) {
    // A file deleted but not yet staged is listed too; it is no source any more.
    const content = await readFile(join(root, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'EISDIR') return null;
      throw error;
    });
    if (content) files.set(path, content);
  }
  return { root, files };
}

/** Sources made of the given texts, for a check's own tests; nothing of them is on disk. */
export function sourcesOf(texts: Readonly<Record<string, string>>): Sources {
  const entries = Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)] as const);
  return { root: '/nowhere', files: new Map(entries) };
}
