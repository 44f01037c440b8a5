import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { baseEnvironment } from '@switchboard/dev';
import { blocksOf } from './guide-program.js';
import { preparePython } from './python-packages.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

const root = join(import.meta.dirname, '..', '..', '..');
const walk = join(root, 'tools', 'e2e', 'clients', 'walk.py');
const run = promisify(execFile);
/** As strict as a compiler gets before it forbids the usual ways of generated code. */
const compilerOptions = {
  target: 'es2023',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: false,
  noImplicitOverride: true,
  skipLibCheck: true,
  rootDir: '.',
  outDir: 'built',
};

describe('clients generated from the description as it is served', () => {
  let all: UsableStack;
  let folder: string;

  beforeAll(async () => {
    await mkdir(join(root, '.cache'), { recursive: true });
    // Below the root: what a program imports is looked for from its folder upwards.
    folder = await mkdtemp(join(root, '.cache', 'clients-'));
    all = await sharedStack();
  });

  afterAll(async () => {
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  /** Runs a program in the folder. @returns what it printed @throws Error with its output, when it fails */
  async function runs(program: string, parameters: readonly string[], more: object = {}): Promise<string> {
    const env = { ...baseEnvironment(), BASE_URL: all.baseUrl, API_KEY: apiKey(), ...more };
    try {
      const { stdout, stderr } = await run(program, [...parameters], { cwd: folder, env });
      return stdout + stderr;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`${parameters[0]} failed:\n${stdout}${stderr}`, { cause: error });
    }
  }

  /** What a reader has stored: another run, and another client, sends something else. */
  const orderOf = (client: string): object => ({ ORDER: `${client}-${Date.now()}` });
  const apiKey = (): string => all.stack.devJson.organizations?.[0]?.apiKey ?? '';
  const description = (): string => `${all.baseUrl}/v1/openapi.json`;

  /** The one block of the guide in a language, for a client. */
  async function blockOf(fence: string): Promise<string> {
    return (await blocksOf('generated-clients.md', fence)).join('\n');
  }

  it('openapi-typescript with openapi-fetch, and @hey-api/openapi-ts: compiled under strict, they make the calls of the guide', async () => {
    const right = await blockOf('ts openapi-fetch');
    // The compiler sees a code that is not, a field that is not, and a body with a wrong type.
    const wrong = right
      .replace("'CONTACT_OPTED_OUT' | 'CONFLICT'", "'CONTACT_OPTEDOUT'")
      .replace('message?.text,', 'message?.texts,')
      .replace("phone: body.to, name: 'Ada'", "phone: 12, name: 'Ada'");
    await writeFile(join(folder, 'package.json'), '{"type":"module","private":true}');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
    await writeFile(join(folder, 'openapi-fetch.ts'), right);
    await writeFile(join(folder, 'wrong.ts'), wrong);
    await writeFile(join(folder, 'hey-api.ts'), await blockOf('ts hey-api'));
    await runs(process.execPath, [await command('openapi-typescript'), description(), '-o', 'schema.ts']);
    await runs(process.execPath, [await command('openapi-ts'), '-i', description(), '-o', 'api']);
    const said = await runs(process.execPath, [await command('tsc'), '-p', '.']).catch(String);
    const errors = [...said.matchAll(/^(\S+?)\(\d+,\d+\): error (TS\d+)/gm)].map(([, file, code]) => `${file} ${code}`);
    expect([new Set(errors), said]).toEqual([new Set(['wrong.ts TS2322', 'wrong.ts TS2551']), said]);
    expect(errors).toHaveLength(3);
    await runs(process.execPath, [join('built', 'openapi-fetch.js')], orderOf('openapi-fetch'));
    await runs(process.execPath, [join('built', 'hey-api.js')], orderOf('hey-api'));
  });

  it('openapi-python-client: nothing of the description is left out, and every operation is called', async () => {
    const environment = await preparePython();
    if (!environment) return;
    await writeFile(join(folder, 'config.yml'), 'post_hooks: []\n');
    const output = [
      '--meta',
      'none',
      '--output-path',
      'switchboard_api',
      '--config',
      'config.yml',
      '--fail-on-warning',
    ];
    await runs('python3', ['-m', 'openapi_python_client', 'generate', '--url', description(), ...output], environment);
    await writeFile(join(folder, 'guide.py'), await blockOf('python'));
    await runs('python3', ['guide.py'], { ...environment, ...orderOf('python') });
    const LATER = new Date(Date.now() + 3_600_000).toISOString();
    await writeFile(join(folder, 'walk.py'), await readFile(walk, 'utf8'));
    expect(await runs('python3', ['walk.py'], { ...environment, LATER })).toMatch(/^\d+ operations$/m);
  });
});

/** The program behind a command of a package that the root declares. */
async function command(name: string): Promise<string> {
  return realpath(join(root, 'node_modules', '.bin', name));
}
