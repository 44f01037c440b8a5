import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StaticContent } from '../http/static-content.js';

/** What the console is built to. */
export interface ConsoleFiles {
  /** The page, with a place for the nonce. */
  readonly html: string;
  /** Everything else, by its path below `/app/`. */
  readonly assets: ReadonlyMap<string, StaticContent>;
}

/** The same place from `src` and from `dist`. */
const folder = fileURLToPath(new URL('../../../console/dist/', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

let loaded: Promise<ConsoleFiles> | undefined;

/** Reads the built console, once. @throws Error when it has not been built */
export function loadConsole(): Promise<ConsoleFiles> {
  loaded ??= readConsole().catch((error: unknown) => {
    loaded = undefined;
    throw new Error('the console has not been built: npm run build', { cause: error });
  });
  return loaded;
}

async function readConsole(): Promise<ConsoleFiles> {
  const paths = await readdir(folder, { recursive: true });
  const assets = new Map<string, StaticContent>();
  for (const path of paths) {
    const type = types[extname(path)];
    if (type === undefined) continue;
    // The names of files below `assets` hold a hash of their content.
    const isHashed = path.startsWith('assets/');
    const cacheControl = isHashed ? 'public, max-age=31536000, immutable' : 'no-cache';
    const headers = { 'content-type': type, 'cache-control': cacheControl };
    assets.set(path, new StaticContent(await readFile(join(folder, path)), headers));
  }
  return { html: await readFile(join(folder, 'index.html'), 'utf8'), assets };
}
