import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Check } from '../check.js';
import { isGenerated, isTest, textOf, typescriptFiles, type Sources } from '../sources.js';

/**
 * What is generated is as the code now says. The generators run from what was built, so a build of other sources
 * is a problem of its own and not a silent comparison with yesterday.
 */
export const generatedCheck: Check = {
  name: 'generated files',
  async run(sources) {
    const stale = await staleLibraries(sources);
    if (stale.length > 0) return stale;
    const { generatedFiles } = await import('../generated/generated-files.js');
    const problems: string[] = [];
    for (const { path, generate } of generatedFiles) {
      const isTrue = textOf(sources, path) === (await generate(sources));
      if (!isTrue) problems.push(`${path} differs from the code: npm run check -- --write`);
    }
    return problems;
  },
};

/**
 * Writes every generated file.
 *
 * @returns their paths.
 * @throws Error when a library that they are made from is not built from its present sources.
 */
export async function writeGeneratedFiles(sources: Sources): Promise<readonly string[]> {
  const stale = await staleLibraries(sources);
  if (stale.length > 0) throw new Error(stale.join('; '));
  const { generatedFiles } = await import('../generated/generated-files.js');
  for (const { path, generate } of generatedFiles) await writeFile(join(sources.root, path), await generate(sources));
  return generatedFiles.map(({ path }) => path);
}

/** What the generators read. */
const generatorSources = /^(libs\/(contracts|nats|openapi|postgres)|apps\/gateway)\/src\//;

/**
 * The sources of the generators whose build is not of the present text. A source map holds the text that was built, which shows more than
 * times: a checkout touches files without changing them.
 */
async function staleLibraries(sources: Sources): Promise<readonly string[]> {
  const libraries = typescriptFiles(sources).filter(
    ({ path }) => generatorSources.test(path) && !isTest(path) && !isGenerated(path),
  );
  const stale: string[] = [];
  for (const { path, text } of libraries) {
    const map = path.replace('/src/', '/dist/').replace(/\.ts$/, '.js.map');
    const built = await readFile(join(sources.root, map), 'utf8').catch(() => '{}');
    const { sourcesContent } = JSON.parse(built) as { sourcesContent?: readonly string[] };
    if (sourcesContent?.[0] !== text) stale.push(`${path} is not what was built: npm run build`);
  }
  return stale;
}
