import type { Check } from '../check.js';
import type { Sources } from '../sources.js';

const exactVersion = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;
const sections = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'] as const;

/** Every dependency is pinned exactly, and in one version throughout the workspace. */
export const packagePinsCheck: Check = {
  name: 'pins',
  run(sources) {
    const problems: string[] = [];
    const firstPins = new Map<string, { version: string; path: string }>();
    for (const { path, name, version } of declaredPins(sources)) {
      if (!exactVersion.test(version)) problems.push(`${path} does not pin ${name} exactly: ${version}`);
      const first = firstPins.get(name);
      if (!first) firstPins.set(name, { version, path });
      else if (first.version !== version) {
        problems.push(`${path} pins ${name} ${version}, but ${first.path} pins ${first.version}`);
      }
    }
    return problems;
  },
};

function declaredPins({ files }: Sources): readonly { path: string; name: string; version: string }[] {
  return [...files].flatMap(([path, content]) => {
    if (!/(^|\/)package\.json$/.test(path)) return [];
    const manifest = JSON.parse(content.toString('utf8')) as Partial<Record<string, Record<string, string>>>;
    return sections.flatMap((section) =>
      Object.entries(manifest[section] ?? {}).map(([name, version]) => ({ path, name, version })),
    );
  });
}
