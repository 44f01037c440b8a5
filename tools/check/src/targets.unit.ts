import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

interface Target {
  readonly cache?: boolean;
  readonly inputs?: readonly unknown[];
}
interface Graph {
  readonly graph: { readonly nodes: Readonly<Record<string, { readonly data: Project }>> };
}
interface Project {
  readonly root: string;
  readonly targets?: Readonly<Record<string, Target>>;
}

const root = resolve(import.meta.dirname, '..', '..', '..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const environment = { NX_DAEMON: 'false', NX_NO_CLOUD: 'true', NX_TUI: 'false', NX_ISOLATE_PLUGINS: 'false' };
const output = execFileSync(process.execPath, [join(root, 'node_modules/nx/dist/bin/nx.js'), 'graph', '--print'], {
  cwd: root,
  encoding: 'utf8',
  env: environment,
});
const projects = Object.entries((JSON.parse(output) as Graph).graph.nodes).map(([name, { data }]) => ({
  name,
  ...data,
}));
const packages = projects.filter((project) => project.root !== '.');

/** As Nx resolves them, from nx.json and every manifest. */
const targetsOf = (name: string): Record<string, Target | undefined> =>
  Object.fromEntries(packages.map((project) => [project.name, project.targets?.[name]]));

describe('the targets of nx', () => {
  it('are build, lint and test of every package, and types of the whole workspace', () => {
    expect(packages.length).toBeGreaterThan(15);
    for (const { name, targets } of packages) {
      expect([name, Object.keys(targets ?? {})]).toEqual([name, expect.arrayContaining(['build', 'lint', 'test'])]);
    }
    expect(Object.keys(projects.find((project) => project.root === '.')?.targets ?? {})).toEqual(['types']);
  });

  it('never answer a test from the cache', () => {
    for (const [name, target] of Object.entries(targetsOf('test')))
      expect([name, target?.cache]).toEqual([name, false]);
    // The whole run does not even go through nx.
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    expect(scripts['test']).toBe('node tools/dev/entry.mjs test');
    expect(textOf('.ci/run')).toMatch(/^npm test /m);
    expect(textOf('.ci/run')).not.toMatch(/\bnx\b/);
  });

  it('cache what follows from files alone, with the lock file among them', () => {
    for (const kind of ['build', 'lint']) {
      for (const [name, target] of Object.entries(targetsOf(kind))) expect([name, target?.cache]).toEqual([name, true]);
    }
    expect(projects.find((project) => project.root === '.')?.targets?.['types']?.cache).toBe(true);
    const { namedInputs } = JSON.parse(textOf('nx.json')) as { namedInputs: Record<string, readonly string[]> };
    for (const inputs of Object.values(namedInputs)) expect(inputs).toContain('{workspaceRoot}/package-lock.json');
    const { include } = JSON.parse(textOf('tsconfig.json')) as { include: readonly string[] };
    const typed = namedInputs['typed'] ?? [];
    // `apps/*/src` is among `{apps,libs,tools}/*/{src,test}`.
    for (const path of include.filter((one) => !/^(apps|libs|tools)\/\*\/(src|test)$/.test(one))) {
      expect(typed).toContain(`{workspaceRoot}/${path}/**/*`);
    }
  });
});
