import { describe, expect, it } from '@jest/globals';
import { sourcesOf } from '../sources.js';
import { packageDependenciesCheck } from './package-dependencies.js';

describe('the dependencies of a package', () => {
  const lock = {
    'node_modules/@nestjs/common': {
      peerDependencies: { rxjs: '7', 'class-validator': '1' },
      peerDependenciesMeta: { 'class-validator': { optional: true } },
    },
  };
  const problemsWith = (dependencies: readonly string[], text: string, section = 'dependencies'): readonly string[] =>
    packageDependenciesCheck.run(
      sourcesOf({
        'package.json': '{"devDependencies":{"jest":"1.0.0"}}',
        'package-lock.json': JSON.stringify({ packages: lock }),
        'libs/a/package.json': JSON.stringify({
          name: '@switchboard/a',
          [section]: Object.fromEntries(dependencies.map((name) => [name, '1.0.0'])),
        }),
        'libs/a/src/a.ts': text,
      }),
    ) as readonly string[];

  it('are all imported, but for required peers of those that are', () => {
    const nest = "import { Module } from '@nestjs/common';";
    expect(problemsWith(['@nestjs/common', 'rxjs'], nest)).toEqual([]);
    expect(problemsWith(['@nestjs/common', 'class-validator', 'undici'], nest)).toEqual([
      'libs/a/package.json declares class-validator, which the package does not import',
      'libs/a/package.json declares undici, which the package does not import',
    ]);
    expect(problemsWith(['rxjs'], '', 'devDependencies')).toHaveLength(1);
    expect(problemsWith(['@server/linux-x64'], '', 'optionalDependencies')).toEqual([]);
    expect(problemsWith(['pg', '@types/pg'], "import 'pg';")).toEqual([]);
    expect(problemsWith(['@types/pg'], '')).toHaveLength(1);
  });

  it('are no words of a comment or a text', () => {
    expect(problemsWith(['pg'], "// import 'pg';\nexport const a = \"import 'pg'\";")).toHaveLength(1);
    expect(problemsWith([], "import { a } from 'node:fs';\nimport 'fs';\nimport './b.js';\nimport 'jest';")).toEqual(
      [],
    );
  });
});
