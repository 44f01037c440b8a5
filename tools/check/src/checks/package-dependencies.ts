import { isBuiltin } from 'node:module';
import ts from 'typescript';
import type { Check } from '../check.js';
import { textOf, type Sources } from '../sources.js';

/**
 * A package declares what its files import, and nothing else. Imports work without, through the links of the workspace,
 * but builds, images and the affected projects are made from package.json.
 *
 * Beyond its imports a package may declare the required peers and the types of what it imports, and packages for other platforms, which
 * are optional. What the root declares for development (Jest, TypeScript) is there for every package.
 */
export const packageDependenciesCheck: Check = {
  name: 'dependencies',
  run(sources) {
    const root = manifestOf(sources, 'package.json').devDependencies ?? {};
    const imports = importsByPackage(sources);
    const peersOf = peersIn(sources);
    const manifests = [...sources.files.keys()].filter((path) => inPackage.exec(path)?.[2] === 'package.json');
    const problems = manifests.flatMap((path) => {
      const { name, dependencies, devDependencies, optionalDependencies } = manifestOf(sources, path);
      const imported = imports.get(path.slice(0, -'/package.json'.length)) ?? new Set<string>();
      const needed = new Set([...imported, ...[...imported].flatMap(peersOf), ...[...imported].map(typesOf)]);
      const own = { ...dependencies, ...devDependencies };
      const available = new Set([name, ...Object.keys({ ...root, ...own, ...optionalDependencies })]);
      const missing = [...imported].filter((one) => !available.has(one)).sort();
      const unused = Object.keys(own).filter((one) => !needed.has(one));
      return [
        ...missing.map((one) => `${path} does not declare ${one}, which the package imports`),
        ...unused.map((one) => `${path} declares ${one}, which the package does not import`),
      ];
    });
    // Packages whose manifest is not among the sources cannot declare anything.
    const bare = [...imports.keys()].filter((folder) => !manifests.includes(`${folder}/package.json`));
    return [...problems, ...bare.map((folder) => `${folder} has no package.json`)];
  },
};

interface Manifest {
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface LockedPackage {
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const inPackage = /^((?:apps|libs|tools)\/[^/]+)\/(.+)$/;

function manifestOf(sources: Sources, path: string): Manifest {
  return JSON.parse(textOf(sources, path) ?? '{}') as Manifest;
}

/** The packages that the files of each folder import, by their bare names. */
function importsByPackage(sources: Sources): ReadonlyMap<string, ReadonlySet<string>> {
  const imports = new Map<string, Set<string>>();
  for (const [path, content] of sources.files) {
    const folder = inPackage.exec(path)?.[1];
    if (folder === undefined || !/\.(tsx?|mjs)$/.test(path)) continue;
    const known = imports.get(folder) ?? new Set();
    imports.set(folder, known);
    for (const { fileName } of ts.preProcessFile(content.toString('utf8'), true, true).importedFiles) {
      if (fileName.startsWith('.') || isBuiltin(fileName)) continue;
      known.add(fileName.split('/', fileName.startsWith('@') ? 2 : 1).join('/'));
    }
  }
  return imports;
}

/** The package with the types of one that brings none. Source: DefinitelyTyped, "Naming". */
function typesOf(name: string): string {
  return `@types/${name.replace(/^@/, '').replace('/', '__')}`;
}

/** Finds the packages that an installed one needs its user to bring. */
function peersIn(sources: Sources): (name: string) => string[] {
  const lock = JSON.parse(textOf(sources, 'package-lock.json') ?? '{}') as { packages?: Record<string, LockedPackage> };
  return (name) => {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = lock.packages?.[`node_modules/${name}`] ?? {};
    return Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
  };
}
