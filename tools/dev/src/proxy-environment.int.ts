import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { baseEnvironment } from './dev.config.js';

const programs = join(import.meta.dirname, '..', 'programs.mjs');
/** Fetches a URL as the programs behind the npm scripts do. */
const script = `
  import { run } from ${JSON.stringify(programs)};
  const code = "fetch(process.argv[1]).then(async (it) => console.log(await it.text(), process.env.NO_PROXY))";
  process.exitCode = await run(process.execPath, ['-e', code, process.argv[1]]);`;

it.each(['NO_PROXY', 'no_proxy'])(
  'what runs on this machine is asked without the proxy of the caller, who has %s',
  async (key) => {
    const server = createServer((_, response) => response.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      // No proxy listens there.
      const proxy = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:1', [key]: 'own.example' };
      const env = { ...baseEnvironment(), ...proxy };
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, url], {
        env,
      });
      expect(stdout).toBe('reached 127.0.0.1,localhost,::1,[::1],own.example\n');
    } finally {
      server.close();
    }
  },
);
