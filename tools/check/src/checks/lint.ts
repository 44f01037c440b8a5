import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Check } from '../check.js';
import { installedProgram, runCommand } from '../run-command.js';

/** The linter's configuration is `.oxlintrc.json`; warnings count as errors. */
export const lintCheck: Check = {
  name: 'lint',
  async run({ root }) {
    const found = await lint(root, root);
    return found.map(({ rule, path, line, message }) => `${path}:${line} ${message} (${rule})`);
  },
};

/** Files that break one rule each. The rules of docs/conventions.md are worth nothing once the configuration loses them. */
const canaries: readonly { readonly rule: string; readonly path: string; readonly text: string }[] = [
  { rule: 'typescript(no-explicit-any)', path: 'apps/a/src/any.ts', text: 'export const a: any = 1;' },
  { rule: 'typescript(no-non-null-assertion)', path: 'apps/a/src/bang.ts', text: 'export const a = globalThis.name!;' },
  { rule: 'import(no-default-export)', path: 'apps/a/src/default.ts', text: 'export default 1;' },
  { rule: 'eslint(no-unused-vars)', path: 'libs/a/src/unused.ts', text: 'const unused = 1;\nexport const b = 2;' },
  { rule: 'eslint(no-console)', path: 'libs/a/src/console.ts', text: 'console.log(1);' },
  { rule: 'node(no-process-env)', path: 'libs/a/src/environment.ts', text: 'export const a = process.env.A;' },
  { rule: 'typescript(ban-ts-comment)', path: 'libs/a/src/ignore.ts', text: '// @ts-ignore\nexport const a = 1;' },
  {
    rule: 'jest(no-focused-tests)',
    path: 'libs/a/src/focused.unit.ts',
    text: "import { it } from '@jest/globals';\nit.only('a', () => {});",
  },
  {
    rule: 'jest(no-disabled-tests)',
    path: 'libs/a/src/disabled.unit.ts',
    text: "import { it } from '@jest/globals';\nit.skip('a', () => {});",
  },
];

/** Legal files that a rule written too widely would refuse. */
const lawful: readonly { readonly path: string; readonly text: string }[] = [
  { path: 'apps/a/src/a.config.ts', text: 'export const a = process.env.A;' },
  { path: 'tools/a/src/main.ts', text: 'console.log(1);' },
  { path: 'jest.config.mjs', text: 'export default {};' },
];

/** Each rule of docs/conventions.md is really on, and only where it should be. */
export const lintCanaryCheck: Check = {
  name: 'lint canaries',
  async run({ root }) {
    const folder = await mkdtemp(join(tmpdir(), 'check-lint-'));
    try {
      for (const { path, text } of [...canaries, ...lawful]) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), `${text}\n`);
      }
      const found = await lint(root, folder);
      const missed = canaries.filter(({ rule, path }) => !found.some((one) => one.rule === rule && one.path === path));
      const wrong = found.filter(({ path }) => lawful.some((one) => one.path === path));
      return [
        ...missed.map(({ rule, path }) => `.oxlintrc.json lets ${path} break ${rule}`),
        ...wrong.map(({ rule, path }) => `.oxlintrc.json refuses the legal ${path} by ${rule}`),
      ];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

interface Finding {
  readonly rule: string;
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

async function lint(root: string, folder: string): Promise<readonly Finding[]> {
  const args = ['-c', join(root, '.oxlintrc.json'), '--format', 'json', '.'];
  const { output } = await runCommand(installedProgram(root, 'oxlint'), args, { cwd: folder });
  let report: {
    diagnostics: { code?: string; message: string; filename: string; labels: { span: { line: number } }[] }[];
  };
  try {
    report = JSON.parse(output.slice(0, output.lastIndexOf('}') + 1));
  } catch (error) {
    throw new Error(`oxlint did not report: ${output.slice(0, 500)}`, { cause: error });
  }
  return report.diagnostics.map(({ code, message, filename, labels }) => ({
    rule: code ?? 'syntax',
    path: filename.replace(`${folder}/`, ''),
    line: labels[0]?.span.line ?? 1,
    message,
  }));
}
