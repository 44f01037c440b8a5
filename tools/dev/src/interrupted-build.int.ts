import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { baseEnvironment } from './dev.config.js';

const scripts = join(import.meta.dirname, '..');

/** A checkout that is installed, of the entry script alone. Its build interrupts it, and is done all the same. */
async function makeCheckout(signal: NodeJS.Signals): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'checkout-'));
  const [dev, modules] = [join(root, 'tools', 'dev'), join(root, 'node_modules')];
  await mkdir(join(dev, 'dist'), { recursive: true });
  await mkdir(join(modules, 'nx', 'dist', 'bin'), { recursive: true });
  const names = (await readdir(scripts)).filter((name) => name.endsWith('.mjs'));
  for (const name of names) await cp(join(scripts, name), join(dev, name));
  await writeFile(join(root, 'package-lock.json'), '');
  await writeFile(join(modules, '.package-lock.json'), '');
  await writeFile(join(modules, '.switchboard-installed'), createHash('sha256').update('').digest('hex'));
  const build = `process.on('${signal}', () => process.exit(0)); setInterval(() => {}, 1000); process.kill(process.ppid, '${signal}')`;
  await writeFile(join(modules, 'nx', 'dist', 'bin', 'nx.js'), build);
  await writeFile(join(dev, 'dist', 'main.js'), `console.log('The supervisor was started.')`);
  return root;
}

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 143],
] as const)('a start that gets %s while it builds starts nothing, however the build ends', async (signal, exitCode) => {
  const entry = join(await makeCheckout(signal), 'tools', 'dev', 'entry.mjs');
  const [code, out, said] = await new Promise<[unknown, string, string]>((resolve) => {
    execFile(process.execPath, [entry, 'start'], { env: baseEnvironment() }, (error, stdout, stderr) =>
      resolve([error?.code, stdout, stderr]),
    );
  });
  expect([code, said.trim()]).toEqual([exitCode, 'Interrupted.']);
  expect(out).not.toContain('The supervisor was started.');
});
