import type { Check } from '../check.js';
import { installedProgram, runCommand } from '../run-command.js';

/** The whole workspace in one program, as an editor sees it; what was checked before is remembered in `.cache`. */
export const typesCheck: Check = {
  name: 'types',
  async run({ root }) {
    const args = ['-p', 'tsconfig.json', '--noEmit', '--incremental', '--tsBuildInfoFile', '.cache/check/types.json'];
    const { exitCode, output } = await runCommand(installedProgram(root, 'tsc'), [...args, '--pretty', 'false'], {
      cwd: root,
    });
    if (exitCode === 0) return [];
    const problems = output.split('\n').filter((line) => /\berror TS\d+:/.test(line));
    return problems.length > 0 ? problems : [`tsc ended with ${exitCode}: ${output}`];
  },
};
