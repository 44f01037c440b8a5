import { Script } from 'node:vm';

/** By file name, with what each was compiled of. */
const scripts = new Map();

/** A line of code, for in comments `import(…)` is a type. */
const importsLater = /^(?!\s*(?:\*|\/\/|\/\*)).*\bimport\s*\(/m;

/**
 * A CommonJS module compiled once for every context of this process: it evaluates to a function of `parameters` that runs
 * the module, with globals and a state of the context's own.
 *
 * @returns null for what Jest has to compile itself: a module that is no CommonJS, and one with an `import()`, which must
 *   come to the runtime of the file that runs.
 */
export function sharedScript(filename, source, parameters) {
  const opening = `(function (${parameters.join(', ')}) {`;
  const known = scripts.get(filename);
  if (known?.source === source && known.opening === opening) return known.script;
  const script = importsLater.test(source) ? null : compiled(filename, source, opening);
  scripts.set(filename, { source, opening, script });
  return script;
}

function compiled(filename, source, opening) {
  try {
    return new Script(`${opening}${source}\n})`, { filename, columnOffset: -opening.length });
  } catch {
    return null;
  }
}
