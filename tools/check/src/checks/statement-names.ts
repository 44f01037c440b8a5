import type { Check } from '../check.js';
import { isTest, typescriptFiles } from '../sources.js';

/** A declaration with the text of its name; the type of its row may run over lines. */
const declaration = /\bstatement(?:<[\s\S]{0,600}?>)?\(\s*'([^']+)'/g;

/**
 * No two prepared statements have one name: on a connection the second would run as the first, or fail, and spans and
 * metrics would mix them.
 */
export const statementNamesCheck: Check = {
  name: 'statement names',
  run(sources) {
    const places = new Map<string, string[]>();
    for (const { path, text } of typescriptFiles(sources)) {
      if (isTest(path)) continue;
      for (const [, name = ''] of text.matchAll(declaration)) places.set(name, [...(places.get(name) ?? []), path]);
    }
    return [...places].flatMap(([name, paths]) =>
      paths.length > 1 ? [`the statement ${name} is declared in ${paths.join(' and in ')}`] : [],
    );
  },
};
