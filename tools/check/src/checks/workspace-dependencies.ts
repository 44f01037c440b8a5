import type { Check } from '../check.js';
import { textOf, typescriptFiles } from '../sources.js';

/**
 * A package declares each workspace package that it imports. Imports work without, through the workspace's links, but
 * the order of builds and the affected projects are read from package.json.
 */
export const workspaceDependenciesCheck: Check = {
  name: 'workspace dependencies',
  run(sources) {
    const problems = new Set<string>();
    for (const { path, text } of typescriptFiles(sources)) {
      const folder = /^(?:apps|libs|tools)\/[^/]+(?=\/)/.exec(path)?.[0];
      if (folder === undefined) continue;
      const manifest = JSON.parse(textOf(sources, `${folder}/package.json`) ?? '{}') as {
        name?: string;
        dependencies?: Record<string, string>;
        devDependencies?: Record<string, string>;
      };
      for (const [, imported = ''] of text.matchAll(/^(?:import|export|\}).*['"](@switchboard\/[a-z-]+)/gm)) {
        const declared = imported in { ...manifest.dependencies, ...manifest.devDependencies };
        if (!declared && imported !== manifest.name)
          problems.add(`${folder}/package.json does not declare ${imported}`);
      }
    }
    return [...problems];
  },
};
