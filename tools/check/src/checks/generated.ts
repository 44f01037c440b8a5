import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Check } from '../check.js';
import { isTest, textOf, typescriptFiles, type Sources } from '../sources.js';

/**
 * What is generated is as the code now says. The generators run from what was built, so a build of other sources
 * is a problem of its own and not a silent comparison with yesterday.
 */
export const generatedCheck: Check = {
  name: 'generated files',
  async run(sources) {
    const stale = await staleContracts(sources);
    if (stale.length > 0) return stale;
    const { generatedFiles } = await import('../generated/generated-files.js');
    return generatedFiles.flatMap(({ path, generate }) =>
      textOf(sources, path) === generate() ? [] : [`${path} differs from the code: npm run check -- --write`],
    );
  },
};

/**
 * Writes every generated file.
 *
 * @returns their paths.
 * @throws Error when libs/contracts is not built from its present sources.
 */
export async function writeGeneratedFiles(sources: Sources): Promise<readonly string[]> {
  const stale = await staleContracts(sources);
  if (stale.length > 0) throw new Error(stale.join('; '));
  const { generatedFiles } = await import('../generated/generated-files.js');
  for (const { path, generate } of generatedFiles) await writeFile(join(sources.root, path), generate());
  return generatedFiles.map(({ path }) => path);
}

/**
 * The contracts whose build is not of the present text. A source map holds the text that was built, which tells more than
 * times: a checkout touches files without changing them.
 */
async function staleContracts(sources: Sources): Promise<readonly string[]> {
  const contracts = typescriptFiles(sources).filter(
    ({ path }) => path.startsWith('libs/contracts/src/') && !isTest(path),
  );
  const stale: string[] = [];
  for (const { path, text } of contracts) {
    const map = path.replace('/src/', '/dist/').replace(/\.ts$/, '.js.map');
    const built = await readFile(join(sources.root, map), 'utf8').catch(() => '{}');
    const { sourcesContent } = JSON.parse(built) as { sourcesContent?: readonly string[] };
    if (sourcesContent?.[0] !== text) stale.push(`${path} is not what was built: build libs/contracts first`);
  }
  return stale;
}
