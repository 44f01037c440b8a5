import { describe, expect, it } from '@jest/globals';
import { sourcesOf } from '../sources.js';
import { citationsCheck } from './citations.js';

const pages = {
  'docs/rules.md':
    '# Rules\n\n## <a id="order"></a>Order of checks\n\n## What `null` means (here)\n\n```md\n## Fenced\n```',
  'docs/adr/0001-workspace.md': '# 0001',
  'apps/a/README.md': '# A',
};
const problemsOf = (path: string, text: string): readonly string[] =>
  citationsCheck.run(sourcesOf({ ...pages, [path]: text })) as readonly string[];

describe('a citation is refused', () => {
  it.each<[string, string, string, string]>([
    ['of a page', 'libs/a.ts', '/** Source: docs/gone.md. */', 'cites docs/gone.md, which does not exist'],
    ['of an anchor', 'libs/a.ts', '// docs/rules.md#gone', 'cites docs/rules.md#gone, which does not exist'],
    [
      'of a heading in a code block',
      'libs/a.ts',
      '// docs/rules.md#fenced',
      'cites docs/rules.md#fenced, which does not exist',
    ],
    ['of an ADR', 'deploy/a.sql', '-- ADR 0002', 'cites ADR 0002, which does not exist'],
    ['of a page outside', 'libs/a.ts', '// Source: decisions, "Errors".', 'cites a page that is not in the repository'],
    ['of an issue', 'libs/a.ts', '/** Source: issue "Limits". */', 'cites a page that is not in the repository'],
    ['of the issue', 'libs/a.ts', '/** At a kill. Source: the issue. */', 'cites a page that is not in the repository'],
    [
      'of a section of an issue',
      'libs/a.ts',
      '// See the issue, "Limits".',
      'cites a page that is not in the repository',
    ],
    ['by a link to a file', 'docs/b.md', 'See [b](gone.md).', 'links to gone.md, which does not exist'],
    [
      'by a link to an anchor',
      'apps/a/b.md',
      '[b](../../docs/rules.md#gone)',
      'links to ../../docs/rules.md#gone, which does not exist',
    ],
    ['by a link with a title', 'docs/b.md', '[b](gone.md "Gone")', 'links to gone.md, which does not exist'],
    ['of a file in a comment', 'libs/a.ts', ' * In `apps/a/gone.ts`.', 'names apps/a/gone.ts, which does not exist'],
    [
      'of a file in the comment of a configuration',
      'deploy/a.yml',
      '# See apps/a/gone.sql',
      'names apps/a/gone.sql, which does not exist',
    ],
    ['of a file in Python', 'libs/a.py', '# See apps/a/gone.ts', 'names apps/a/gone.ts, which does not exist'],
    ['of an example', 'libs/a.ts', '// As examples/a/gone.py does', 'names examples/a/gone.py, which does not exist'],
    ['of a component', 'libs/a.ts', '// See apps/a/gone.tsx', 'names apps/a/gone.tsx, which does not exist'],
    ['of an example in inline code', 'docs/b.md', 'In `examples/gone`.', 'names examples/gone, which does not exist'],
    ['of a page in a template', 'tools/a.ts.template', '// docs/gone.md', 'cites docs/gone.md, which does not exist'],
    [
      'of an anchor of a file',
      'libs/a.ts',
      'const a = 1; // apps/a/README.md#gone',
      'names apps/a/README.md#gone, which does not exist',
    ],
    ['by a link within its page', 'docs/b.md', '# B\n\n[b](#gone)', 'links to #gone, which does not exist'],
    ['of a path in inline code', 'docs/b.md', 'In `apps/a/gone.ts`.', 'names apps/a/gone.ts, which does not exist'],
  ])('%s that does not exist', (_what, path, text, problem) => {
    const line = text.split('\n').length;
    expect(problemsOf(path, text)).toEqual([`${path}:${line} ${problem}`]);
  });
});

describe('a citation is accepted', () => {
  it.each<[string, string, string]>([
    ['of an anchor', 'libs/a.ts', '/** Source: docs/rules.md#order, docs/rules.md. See ADR 0001. */'],
    [
      'of a file in a comment',
      'libs/a.ts',
      '// apps/a/README.md#a, apps/<name>/src/main.ts, https://x.test/apps/a/gone.ts',
    ],
    ['of a file in code, which may be one that a test makes', 'libs/a.ts', "const path = 'apps/a/gone.ts';"],
    ['of a heading', 'libs/a.ts', '// docs/rules.md#what-null-means-here'],
    [
      'by a link',
      'apps/a/b.md',
      '[a](README.md) [r](../../docs/rules.md#order-of-checks) [f](../../docs) [w](https://x.test/y.md)',
    ],
    ['of a path in inline code', 'docs/b.md', 'In `apps/a/` and `apps/a/README.md`, not in `apps/<name>/x.ts`.'],
    ['in a code block', 'docs/b.md', '```\n[b](gone.md) `apps/gone.ts`\n```'],
    ['of the provider', 'libs/a.ts', "// Source: the provider's page on throughput; the issue is its own."],
    ['of an address', 'libs/a.ts', "const href = 'https://example.test/docs/gone.md';"],
  ])('%s', (_what, path, text) => {
    expect(problemsOf(path, text)).toEqual([]);
  });
});
