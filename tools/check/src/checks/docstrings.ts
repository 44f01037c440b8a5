import type { Check } from '../check.js';
import { isTest, typescriptFiles } from '../sources.js';

const declaration =
  /^export (?:abstract |async |declare )*(?:class|function\*?|interface|type|const|let|enum) ([\w$]+)/;

/** Every export says what it promises, in a docstring right above it or above its decorators. Source: docs/conventions.md#docstrings. */
export const docstringsCheck: Check = {
  name: 'docstrings',
  run(sources) {
    return typescriptFiles(sources).flatMap(({ path, text }) => {
      if (isTest(path)) return [];
      const lines = text.split('\n');
      const documented = new Set<string>();
      return lines.flatMap((line, index) => {
        const name = declaration.exec(line)?.[1];
        if (name === undefined) return [];
        // The overloads of a function share the first one's docstring.
        const described = documented.has(name) || hasDocstring(lines, index);
        if (described) documented.add(name);
        return described ? [] : [`${path}:${index + 1} ${name} has no docstring`];
      });
    });
  },
};

/** Walks up over decorators, which end in `)` at the line's start, to the end of a comment. */
function hasDocstring(lines: readonly string[], declarationAt: number): boolean {
  let at = declarationAt - 1;
  while (at >= 0 && /^(@|\)|\}|\s|\/\/)/.test(lines[at] ?? '') && !/\*\/\s*$/.test(lines[at] ?? '')) at -= 1;
  return /\*\/\s*$/.test(lines[at] ?? '');
}
