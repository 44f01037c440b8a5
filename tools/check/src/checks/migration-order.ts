import { posix } from 'node:path';
import type { Check } from '../check.js';

/** A list of migrations, `apps/<service>/src/migrations/all.ts`. */
const LIST = /^apps\/[^/]+\/src\/migrations\/all\.ts$/;
const IMPORT = /^import \{ (\w+) \} from '\.\/([^']+)\.js';$/gm;
const ELEMENTS = /=\s*\[([^\]]*)\]/;
const CLASS = /^[A-Z][A-Za-z]*(\d{13})$/;
const FILE = /^(\d{13})-[a-z0-9-]+$/;

/**
 * The order of each list of migrations is the order of their timestamps and of their files.
 *
 * TypeORM sorts migrations by the timestamp at the end of the class name, whatever the order of the list, so that a list in
 * another order shows a reader a history that no database has. Every file of the folder with a timestamp is in the list.
 */
export const migrationOrderCheck: Check = {
  name: 'migration order',
  run({ files }) {
    const problems: string[] = [];
    for (const [path, content] of files) {
      if (!LIST.test(path)) continue;
      const text = content.toString('utf8');
      const fileOf = new Map([...text.matchAll(IMPORT)].map(([, name = '', file = '']) => [name, file]));
      const names = (ELEMENTS.exec(text)?.[1] ?? '').split(',').flatMap((part) => part.trim() || []);
      if (names.length === 0) problems.push(`${path} lists no migration`);
      problems.push(...names.flatMap((name) => problemOf(path, name, fileOf.get(name))));
      for (const [index, name] of names.entries()) {
        const former = names[index - 1];
        if (former !== undefined && timestampOf(former) >= timestampOf(name)) {
          problems.push(`${path} lists ${name} after ${former}, whose timestamp is not smaller`);
        }
      }
      const listed = new Set(names.map((name) => fileOf.get(name)));
      for (const other of files.keys()) {
        const file = posix.basename(other, '.ts');
        if (posix.dirname(other) !== posix.dirname(path) || !FILE.test(file) || listed.has(file)) continue;
        problems.push(`${other} is not listed in ${path}`);
      }
    }
    return problems;
  },
};

function problemOf(path: string, name: string, file: string | undefined): string[] {
  if (!CLASS.test(name)) return [`${path} lists ${name}, whose name does not end with a timestamp of 13 digits`];
  if (file === undefined) return [`${path} lists ${name}, which it does not import from its own file`];
  const stamp = FILE.exec(file)?.[1];
  return stamp === timestampOf(name) ? [] : [`${path} lists ${name}, but its file is ${file}.ts`];
}

function timestampOf(name: string): string {
  return CLASS.exec(name)?.[1] ?? '';
}
