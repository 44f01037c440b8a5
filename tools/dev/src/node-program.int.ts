import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '@switchboard/platform';
import { runProgram } from './node-program.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-program-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** What is said of a program that ends with an error of this message, thrown or in a line of its log. */
async function reasonOf(message: string, isLogged = false): Promise<string> {
  const entry = join(folder, 'program.mjs');
  const line = JSON.stringify({ event: 'service.start-failed', error: { message } });
  const logged = `console.log(${JSON.stringify(line)});\nprocess.exit(1);\n`;
  await writeFile(entry, isLogged ? logged : `throw new Error(${JSON.stringify(message)});\n`);
  const program = { name: 'webhooks', entry, environment: {}, log: join(folder, 'webhooks.log') };
  return runProgram(program, new AbortController().signal).then(
    () => 'it ran',
    (error: unknown) => (error instanceof Error ? error.message : 'no error'),
  );
}

describe('what is said of a program that did not start', () => {
  it('names every key of its configuration that is at fault, in whatever words', async () => {
    const parse = (text: string): never => {
      throw new Error(`"${text}" is no host[:port]`);
    };
    const schema = { ADDRESS: { description: 'an address', parse }, HOSTS: { description: 'hosts', parse } };
    let problems = '';
    try {
      readConfig(schema, { HOSTS: 'http://x' });
    } catch (error) {
      problems = (error as Error).message;
    }
    for (const isLogged of [false, true]) {
      expect(await reasonOf(problems, isLogged)).toMatch(
        /^webhooks did not start \(exit code 1\): ADDRESS is required: an address; HOSTS: "http:\/\/x" is no host\[:port\] \(/,
      );
    }
  });

  it('is its error otherwise', async () => {
    expect(await reasonOf('the stream is away')).toMatch(
      /^webhooks did not start \(exit code 1\): Error: the stream is away \(webhooks\.log has more: /,
    );
  });
});
