import type { Check } from '../check.js';
import { textOf, type Sources } from '../sources.js';

type Dependencies = Partial<
  Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>
>;
type Lock = { readonly packages: Readonly<Record<string, Dependencies & { resolved?: string; link?: boolean }>> };

/**
 * The lock file names versions and hashes, and no download address: who installs decides on the registry. It knows what
 * each package.json of the workspace declares; npm would otherwise choose versions by itself.
 */
export const lockfileCheck: Check = {
  name: 'lock file',
  run(sources) {
    const text = textOf(sources, 'package-lock.json');
    if (text === undefined) return ['package-lock.json is missing'];
    const lock = JSON.parse(text) as Lock;
    const downloads = Object.entries(lock.packages).flatMap(([name, { resolved, link }]) =>
      resolved !== undefined && link !== true ? [`package-lock.json records where ${name} was downloaded from`] : [],
    );
    return [...downloads, ...driftedManifests(sources, lock)];
  },
};

function driftedManifests(sources: Sources, lock: Lock): readonly string[] {
  return [...sources.files.keys()].flatMap((path) => {
    const folder = /^(?:((?:apps|libs|tools)\/[^/]+)\/)?package\.json$/.exec(path);
    if (!folder) return [];
    const manifest = JSON.parse(textOf(sources, path) ?? '{}') as Dependencies;
    const locked = lock.packages[folder[1] ?? ''];
    return locked && declared(locked) === declared(manifest) ? [] : [`package-lock.json is behind ${path}`];
  });
}

/** All declarations in one text that does not depend on their order. */
function declared({ dependencies, devDependencies, optionalDependencies }: Dependencies): string {
  return [dependencies, devDependencies, optionalDependencies]
    .map((section) => JSON.stringify(Object.entries(section ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))))
    .join();
}
