import type { Check } from '../check.js';
import { textOf, typescriptFiles, type Sources } from '../sources.js';

/** Comments, and re-exports over one line or several. */
const comments = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const reExports = /export\s+(type\s+)?(\*(\s+as\s+\w+)?|\{[^}]*\})\s+from\s+['"][^'"]+['"];?/g;

/** No file only passes on what others export, except a package's entries. Barrels make cycles. Source: docs/conventions.md#shape. */
export const barrelsCheck: Check = {
  name: 'barrels',
  run(sources) {
    return typescriptFiles(sources).flatMap(({ path, text }) => {
      if (isEntry(sources, path)) return [];
      const code = text.replace(comments, '');
      const passesOn = code.match(reExports) !== null;
      if (passesOn && code.replace(reExports, '').trim() === '') return [`${path} is a barrel`];
      return /export\s+(type\s+)?\*/.test(code) ? [`${path} passes on everything of another file`] : [];
    });
  },
};

/** An entry is what package.json names for the source condition. Patterns do not count: they open each file by itself. */
function isEntry(sources: Sources, path: string): boolean {
  const folder = /^(?:apps|libs|tools)\/[^/]+/.exec(path)?.[0];
  const manifest = textOf(sources, `${folder}/package.json`);
  if (manifest === undefined) return false;
  const { exports = {} } = JSON.parse(manifest) as { exports?: Record<string, Record<string, string> | string> };
  return Object.values(exports).some(
    (target) => typeof target === 'object' && `${folder}/${target['@switchboard/source']?.slice(2)}` === path,
  );
}
