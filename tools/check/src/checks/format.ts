import type { Check } from '../check.js';
import { installedProgram, runCommand } from '../run-command.js';

/** Everything that Prettier formats is as it formats it. `npm run format` repairs. */
export const formatCheck: Check = {
  name: 'format',
  async run({ root }) {
    const args = [
      '--list-different',
      '--cache',
      '--cache-strategy',
      'content',
      '--cache-location',
      '.cache/check/format',
    ];
    const { exitCode, output } = await runCommand(installedProgram(root, 'prettier'), [...args, '.'], { cwd: root });
    if (exitCode === 0) return [];
    const lines = output.split('\n').filter((line) => line !== '');
    return lines.length > 0 ? lines.map((line) => `${line} is not formatted`) : [`prettier ended with ${exitCode}`];
  },
};
