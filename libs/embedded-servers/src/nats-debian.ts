import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { systemErrorCode } from './system-error.js';

const run = promisify(execFile);

/** Debian releases that carry a new enough server, the stable one first. Both builds run on Debian 12 as well. */
const suites = ['trixie', 'sid'] as const;
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** Of each step: some 15 s on a quiet machine, more than 120 s on one that forty processes share. */
export const stepWithinMs = 300_000;

/**
 * Fetches Debian's nats-server package through an apt state of its own and puts the binary at `target`, whole or not at
 * all. Neither root rights nor changes to the system's apt are needed; signatures are checked as always.
 *
 * @throws Error in a few words: no apt here, no mirror among its sources, or apt's own last error.
 */
export async function fetchFromDebian(target: string): Promise<void> {
  const mirror = await findMirror();
  await mkdir(dirname(target), { recursive: true });
  const folder = await mkdtemp(join(dirname(target), 'apt-'));
  try {
    let problem: unknown;
    for (const suite of suites) {
      try {
        await fetchSuite({ folder: join(folder, suite), suite, mirror, target });
        return;
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fetchSuite(spec: { folder: string; suite: string; mirror: string; target: string }): Promise<void> {
  const { folder } = spec;
  for (const path of ['state/lists/partial', 'cache/archives/partial', 'unpacked']) {
    await mkdir(join(folder, path), { recursive: true });
  }
  await writeFile(join(folder, 'status'), '');
  await writeFile(join(folder, 'sources.list'), `deb [signed-by=${keyring}] ${spec.mirror} ${spec.suite} main\n`);
  const options = [
    `Dir::Etc::sourcelist=${join(folder, 'sources.list')}`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State=${join(folder, 'state')}`,
    `Dir::State::status=${join(folder, 'status')}`,
    `Dir::Cache=${join(folder, 'cache')}`,
    // As root apt would drop to a user of its own, who cannot write here.
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
    'Acquire::Retries=2',
  ].flatMap((option) => ['-o', option]);
  await apt(folder, [...options, '-q', 'update']);
  await apt(folder, [...options, '-q', 'download', 'nats-server']);
  const archive = (await readdir(folder)).find((name) => name.endsWith('.deb'));
  if (archive === undefined) throw new Error(`nothing was downloaded from ${spec.suite}`);
  await run('dpkg-deb', ['-x', join(folder, archive), join(folder, 'unpacked')], { timeout: stepWithinMs });
  const draft = `${spec.target}.${process.pid}`;
  await copyFile(await findBinary(join(folder, 'unpacked')), draft);
  await chmod(draft, 0o755);
  await rename(draft, spec.target);
}

/** Runs apt-get. @throws Error with its own last error, or that there is none here */
export async function apt(cwd: string, args: readonly string[]): Promise<void> {
  await run('apt-get', [...args], { cwd, timeout: stepWithinMs, maxBuffer: 16 << 20 }).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') throw new Error('no apt on this system');
    const said =
      typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr) : String(error);
    const isLate = typeof error === 'object' && error !== null && 'killed' in error && error.killed === true;
    const fallback = isLate ? `apt-get took longer than ${stepWithinMs / 60_000} minutes` : 'apt-get failed';
    throw new Error(/^E: .*/m.exec(said)?.[0] ?? fallback, { cause: error });
  });
}

/** trixie has it in usr/sbin, other releases in usr/bin. */
async function findBinary(folder: string): Promise<string> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && entry.name === 'nats-server') return join(entry.parentPath, entry.name);
  }
  throw new Error('the package holds no nats-server');
}

/** The Debian mirror that this system uses already, from either format of apt's sources. */
async function findMirror(): Promise<string> {
  const parts = '/etc/apt/sources.list.d';
  const names = await readdir(parts).catch(() => []);
  for (const path of ['/etc/apt/sources.list', ...names.map((name) => join(parts, name))]) {
    const text = await readFile(path, 'utf8').catch(() => '');
    const match = /^(?:deb\s+(?:\[[^\]]*\]\s+)?|URIs:\s*)(https?:\/\/\S+\/debian\/?)(?=\s|$)/m.exec(text);
    if (match?.[1] !== undefined) return match[1];
  }
  throw new Error("no Debian mirror among this system's package sources");
}
