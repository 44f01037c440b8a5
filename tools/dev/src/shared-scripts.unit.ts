import { join } from 'node:path';
import { createContext, type Script } from 'node:vm';
import { describe, expect, it } from '@jest/globals';

type Run = (module: { exports: unknown }, exports: unknown) => void;
const { sharedScript } = (await import(join(import.meta.dirname, '..', 'shared-scripts.mjs'))) as {
  sharedScript(filename: string, source: string, parameters: readonly string[]): Script | null;
};

const compile = (filename: string, source: string): Script | null =>
  sharedScript(filename, source, ['module', 'exports']);

/** What the module exports in a context of its own. */
function exportsOf(script: Script | null): Record<string, unknown> {
  if (script === null) throw new Error('The module is not shared.');
  const module = { exports: {} };
  const run = script.runInContext(createContext()) as Run;
  run(module, module.exports);
  return module.exports;
}

describe('a module that test files share', () => {
  it('is compiled once, and anew when its source is another', () => {
    const first = compile('/once.js', 'exports.value = 1;');
    expect(compile('/once.js', 'exports.value = 1;')).toBe(first);
    expect(exportsOf(compile('/once.js', 'exports.value = 2;'))).toEqual({ value: 2 });
  });

  it('has a state and globals of its own in each context', () => {
    const source =
      'let count = 0; globalThis.seen ??= 0; exports.next = () => [++count, ++seen]; exports.list = Array;';
    const [one, other] = [exportsOf(compile('/state.js', source)), exportsOf(compile('/state.js', source))];
    const next = ({ next: of }: Record<string, unknown>): unknown => [...(of as () => number[])()];
    expect([next(one), next(one), next(other)]).toEqual([
      [1, 1],
      [2, 2],
      [1, 1],
    ]);
    expect(one['list']).not.toBe(other['list']);
  });

  it('names its own lines and columns in a stack', () => {
    const { stack } = exportsOf(compile('/stack.js', 'exports.stack = new Error().stack;\n'));
    expect(stack).toContain('/stack.js:1:17');
  });

  it('may end in a comment', () => {
    expect(exportsOf(compile('/comment.js', 'exports.value = 1; // the end'))).toEqual({ value: 1 });
  });

  it('is left to Jest when it imports later, or is no CommonJS', () => {
    expect(compile('/later.js', "exports.load = () => import('./other.js');")).toBeNull();
    expect(compile('/esm.js', 'export const value = 1;')).toBeNull();
    expect(compile('/type.js', "/**\n * @type {import('./other.js').Other}\n */\nexports.value = 1;")).not.toBeNull();
  });
});
