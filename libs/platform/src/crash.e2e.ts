import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..', '..', '..');

describe('an uncaught error', () => {
  it.each(['throw error', 'Promise.reject(error)'])(
    '%s ends the process with a line that quotes no row',
    async (end) => {
      const program = `
      import { createLog, endOnCrash } from '@switchboard/platform';
      endOnCrash(createLog('test'));
      const error = Object.assign(new Error('boom'), { detail: 'Key (phone)=(+14155550142) exists' });
      setTimeout(() => { ${end}; });`;
      const ended = run(process.execPath, ['--input-type=module', '--eval', program], { cwd: root });
      const { code, stdout, stderr } = (await ended.catch((error: unknown) => error)) as Record<string, string>;
      expect([code, JSON.parse(stdout ?? '')]).toMatchObject([
        1,
        { event: 'service.crashed', error: { message: 'boom' } },
      ]);
      expect(`${stdout}${stderr}`).not.toContain('4155550142');
    },
  );
});
