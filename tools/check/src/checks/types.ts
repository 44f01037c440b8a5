import type { Check } from '../check.js';
import { installedProgram, runCommand } from '../run-command.js';

/** The programs of the workspace: what runs in Node, and the console, which runs in browsers and has their globals. */
const programs: Readonly<Record<string, string>> = {
  types: 'tsconfig.json',
  'console-types': 'apps/console/tsconfig.json',
};

/** Each program whole, as an editor sees it; what was checked before is remembered in `.cache`. */
export const typesCheck: Check = {
  name: 'types',
  async run({ root }) {
    const problems: string[] = [];
    for (const [name, project] of Object.entries(programs)) problems.push(...(await checked(root, name, project)));
    return problems;
  },
};

async function checked(root: string, name: string, project: string): Promise<readonly string[]> {
  const args = ['-p', project, '--noEmit', '--incremental', '--tsBuildInfoFile', `.cache/check/${name}.json`];
  const { exitCode, output } = await runCommand(installedProgram(root, 'tsc'), [...args, '--pretty', 'false'], {
    cwd: root,
  });
  if (exitCode === 0) return [];
  const problems = output.split('\n').filter((line) => /\berror TS\d+:/.test(line));
  return problems.length > 0 ? problems : [`tsc ended with ${exitCode}: ${output}`];
}
