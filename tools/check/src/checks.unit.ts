import { describe, expect, it } from '@jest/globals';
import type { Check } from './check.js';
import { addressesCheck } from './checks/addresses.js';
import { barrelsCheck } from './checks/barrels.js';
import { docstringsCheck } from './checks/docstrings.js';
import { binariesCheck, fileLengthCheck, namesCheck } from './checks/files.js';
import { folderAddressesCheck } from './checks/folder-addresses.js';
import { lockfileCheck } from './checks/lockfile.js';
import { packageDependenciesCheck } from './checks/package-dependencies.js';
import { packagePinsCheck } from './checks/package-pins.js';
import { statementNamesCheck } from './checks/statement-names.js';
import { testTimeoutsCheck } from './checks/test-timeouts.js';
import { runChecks } from './run-checks.js';
import { sourcesOf } from './sources.js';

const problemsOf = (check: Check, texts: Readonly<Record<string, string>>): readonly string[] =>
  check.run(sourcesOf(texts)) as readonly string[];

// Put together here, so that this file does not itself contain what the checks look for.
const registry = ['https:/', ['registry', 'npmjs', 'org'].join('.')].join('/');
const machinePath = ['', 'home', 'someone', 'checkout'].join('/');
const moduleUrl = ['import', 'meta', 'url'].join('.');
const token = ['_auth', 'Token'].join('');
const entryManifest = JSON.stringify({
  name: '@switchboard/a',
  exports: { '.': { '@switchboard/source': './src/index.ts' }, './*': { '@switchboard/source': './src/*.ts' } },
});

describe('each check refuses its canary, for its own reason', () => {
  it.each<[string, Check, string, string, string]>([
    [
      'a range',
      packagePinsCheck,
      'package.json',
      '{"dependencies":{"a":"^1.0.0"}}',
      'package.json does not pin a exactly: ^1.0.0',
    ],
    [
      'a tag',
      packagePinsCheck,
      'libs/a/package.json',
      '{"optionalDependencies":{"a":"latest"}}',
      'libs/a/package.json does not pin a exactly: latest',
    ],
    [
      'an address',
      packagePinsCheck,
      'libs/a/package.json',
      '{"devDependencies":{"a":"github:a/a"}}',
      'libs/a/package.json does not pin a exactly: github:a/a',
    ],
    [
      'a registry',
      addressesCheck,
      'docs/a.md',
      `from ${registry}/a`,
      `docs/a.md:1 has the address of a package registry: from ${registry}/a`,
    ],
    [
      'the path of a URL',
      folderAddressesCheck,
      'libs/a/src/a.ts',
      `const one = 1;\nconst root = new URL('..', ${moduleUrl}).pathname;`,
      'libs/a/src/a.ts:2 takes the path of a URL, which is encoded: fileURLToPath, or import.meta.dirname',
    ],
    [
      'a registry setting',
      addressesCheck,
      '.npmrc',
      ['registry', 'x'].join('='),
      `.npmrc:1 has the setting of a package registry: ${['registry', 'x'].join('=')}`,
    ],
    [
      'a registry token',
      addressesCheck,
      '.npmrc',
      `//x/:${token}=1`,
      `.npmrc:1 has the setting of a package registry: //x/:${token}=1`,
    ],
    [
      'a machine path',
      addressesCheck,
      'tools/a/run.sh',
      `cd ${machinePath}/src`,
      `tools/a/run.sh:1 has the path of one machine: cd ${machinePath}/src`,
    ],
    [
      'a machine path in quotes',
      addressesCheck,
      'libs/a/src/a.ts',
      `const a = '${machinePath}/b';`,
      `libs/a/src/a.ts:1 has the path of one machine: const a = '${machinePath}/b';`,
    ],
    [
      'a download address',
      lockfileCheck,
      'package-lock.json',
      `{"packages":{"libs/a":{},"a":{"resolved":"${registry}/a.tgz"}}}`,
      'package-lock.json records where a was downloaded from',
    ],
    [
      'a forgotten package',
      lockfileCheck,
      'package-lock.json',
      '{"packages":{}}',
      'package-lock.json is behind libs/a/package.json',
    ],
    [
      'an outdated lock',
      lockfileCheck,
      'package-lock.json',
      '{"packages":{"libs/a":{"dependencies":{"b":"1.0.0"}}}}',
      'package-lock.json is behind libs/a/package.json',
    ],
    ['a missing lock file', lockfileCheck, 'a.json', '{}', 'package-lock.json is missing'],
    ['a binary', binariesCheck, 'docs/a.png', '\u0089PNG\u0000', 'docs/a.png is a binary file'],
    [
      '301 lines',
      fileLengthCheck,
      'libs/a/src/a.ts',
      'a;\n'.repeat(301),
      'libs/a/src/a.ts has 301 lines, more than 300',
    ],
    [
      'a short timeout',
      testTimeoutsCheck,
      'libs/a/src/a.int.ts',
      "it('a', async () => {\n}, 60_000);\n",
      'libs/a/src/a.int.ts:2 has a timeout of its own that is no longer than that of all tests',
    ],
    [
      'a short timeout of a hook',
      testTimeoutsCheck,
      'libs/a/src/a.e2e.ts',
      'afterAll(async () => a.end(), 600_000);\n',
      'libs/a/src/a.e2e.ts:1 has a timeout of its own that is no longer than that of all tests',
    ],
    ['a utils folder', namesCheck, 'libs/a/src/utils/b.ts', '', 'the folder libs/a/src/utils has an empty name'],
    ['a helpers file', namesCheck, 'libs/a/src/helpers.ts', '', 'libs/a/src/helpers.ts has an empty name'],
    ['a manager', namesCheck, 'libs/a/src/session-manager.ts', '', 'libs/a/src/session-manager.ts has an empty name'],
    ['a base role', namesCheck, 'apps/a/src/base.entity.ts', '', 'apps/a/src/base.entity.ts has an empty name'],
    [
      'a barrel',
      barrelsCheck,
      'libs/a/src/b/index.ts',
      "// All.\nexport {\n  a,\n} from './a.js';\nexport * from './b.js';",
      'libs/a/src/b/index.ts is a barrel',
    ],
    [
      'a barrel of another name',
      barrelsCheck,
      'libs/a/src/all.ts',
      "export type { A } from './a.js';",
      'libs/a/src/all.ts is a barrel',
    ],
    [
      'a star among other things',
      barrelsCheck,
      'libs/a/src/b.ts',
      "export * from './a.js';\nexport const b = 1;",
      'libs/a/src/b.ts passes on everything of another file',
    ],
    [
      'a bare export',
      docstringsCheck,
      'libs/a/src/a.ts',
      'const b = 1;\nexport const a = b;',
      'libs/a/src/a.ts:2 a has no docstring',
    ],
    [
      'a plain comment',
      docstringsCheck,
      'libs/a/src/a.ts',
      '// A.\nexport class A {}',
      'libs/a/src/a.ts:2 A has no docstring',
    ],
    [
      'a bare decorated export',
      docstringsCheck,
      'libs/a/src/a.ts',
      '\n@Entity({\n  a: 1,\n})\nexport class A {}',
      'libs/a/src/a.ts:5 A has no docstring',
    ],
    [
      'an undeclared package',
      packageDependenciesCheck,
      'libs/a/src/a.ts',
      "import { a } from '@switchboard/phone';",
      'libs/a/package.json does not declare @switchboard/phone, which the package imports',
    ],
    [
      'one over lines',
      packageDependenciesCheck,
      'libs/a/src/a.ts',
      "import {\n  a,\n} from '@switchboard/b/c';",
      'libs/a/package.json does not declare @switchboard/b, which the package imports',
    ],
    [
      'one that is imported as a type',
      packageDependenciesCheck,
      'libs/a/src/a.ts',
      "import type { a } from 'pg';",
      'libs/a/package.json does not declare pg, which the package imports',
    ],
    [
      'one that is imported later',
      packageDependenciesCheck,
      'libs/a/src/a.ts',
      "export const a = import('pg');",
      'libs/a/package.json does not declare pg, which the package imports',
    ],
    ['files without a manifest', packageDependenciesCheck, 'apps/a/src/a.ts', '', 'apps/a has no package.json'],
  ])('%s', (_what, check, path, text, reason) => {
    expect(problemsOf(check, { 'libs/a/package.json': entryManifest, [path]: text })).toEqual([reason]);
  });

  it('two versions of one package', () => {
    const texts = {
      'a/package.json': '{"dependencies":{"x":"1.0.0"}}',
      'b/package.json': '{"dependencies":{"x":"1.0.1"}}',
    };
    expect(problemsOf(packagePinsCheck, texts)).toEqual(['b/package.json pins x 1.0.1, but a/package.json pins 1.0.0']);
  });
});

describe('the names of prepared statements', () => {
  const one = "export const a = statement<{\n  b: string;\n}>(\n  'x.lock-a',\n  'SELECT');";
  const of = (other: string, path = 'apps/b/src/b.repository.ts'): readonly string[] =>
    problemsOf(statementNamesCheck, { 'apps/a/src/a.repository.ts': one, [path]: other });

  it('are refused when two files, or one, give the same', () => {
    expect(of("const c = statement('x.lock-a', '');")).toEqual([
      'the statement x.lock-a is declared in apps/a/src/a.repository.ts and in apps/b/src/b.repository.ts',
    ]);
    expect(of("const c = statement('x.c', '');\nconst d = statement<C>('x.c', '');")).toHaveLength(1);
  });

  it('pass when they differ, and when a test has its own', () => {
    expect(of("const c = statement('x.lock-b', '');")).toEqual([]);
    expect(of("const c = statement('x.lock-a', '');", 'apps/b/src/b.int.ts')).toEqual([]);
  });
});

describe('each check lets its lawful neighbour pass', () => {
  it.each<[string, Check, string, string]>([
    ['an exact version', packagePinsCheck, 'package.json', '{"dependencies":{"a":"18.4.0-beta.17"}}'],
    ['a route that looks like a path', addressesCheck, 'docs/a.md', 'GET /v1/home/work'],
    [
      'a linked workspace',
      lockfileCheck,
      'package-lock.json',
      '{"packages":{"libs/a":{},"a":{"resolved":"libs/a","link":true}}}',
    ],
    ['300 lines', fileLengthCheck, 'libs/a/src/a.ts', 'a;\n'.repeat(300)],
    ['a long timeout', testTimeoutsCheck, 'libs/a/src/a.int.ts', "it('a', async () => {\n}, 900_000);\n"],
    ['a base configuration', namesCheck, 'tsconfig.base.json', ''],
    ['a word with a word inside', namesCheck, 'libs/a/src/database.ts', ''],
    ['an entry', barrelsCheck, 'libs/a/src/index.ts', "export { a } from './a.js';"],
    ['a re-export next to code', barrelsCheck, 'libs/a/src/b.ts', "export { a } from './a.js';\nexport const b = 1;"],
    ['a docstring', docstringsCheck, 'libs/a/src/a.ts', '/** A. */\nexport const a = 1;'],
    [
      'one over a decorator',
      docstringsCheck,
      'libs/a/src/a.ts',
      '/** A. */\n@Entity({\n  a: 1,\n})\nexport class A {}',
    ],
    ['a test', docstringsCheck, 'libs/a/src/a.unit.ts', 'export const a = 1;'],
    ['its own name', packageDependenciesCheck, 'libs/a/src/a.ts', "import { a } from '@switchboard/a/b';"],
  ])('%s', (_what, check, path, text) => {
    expect(problemsOf(check, { 'libs/a/package.json': entryManifest, [path]: text })).toEqual([]);
  });
});

describe('the run', () => {
  it('goes on after a problem and after a check that throws, and counts everything', async () => {
    const lines: string[] = [];
    const thrower: Check = {
      name: 'thrower',
      run: () => {
        throw new Error('out of order');
      },
    };
    const checks: Check[] = [{ name: 'first', run: () => ['one', 'two'] }, thrower, { name: 'last', run: () => [] }];
    expect(await runChecks(checks, sourcesOf({}), (line) => lines.push(line))).toBe(3);
    expect(lines.filter((line) => line.startsWith('  '))).toEqual([
      '  one',
      '  two',
      '  the check itself failed: out of order',
    ]);
    expect(lines.find((line) => line.startsWith('last'))).toMatch(/ok$/);
  });
});
