import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isRunning, systemErrorCode, type ProcessIdentity } from '@switchboard/embedded-servers';

/**
 * Takes a lock, a file with the identity of its owner, for this process; also one whose process has gone.
 *
 * @returns null when it is taken; else the process that has it, or is taking it
 */
export async function takeLock(path: string, me: ProcessIdentity): Promise<ProcessIdentity | null> {
  // It comes to its place whole: without an owner it would look like one that a killed process has left.
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(me), { mode: 0o600 });
  try {
    const found = await linkOrJudge(draft, path);
    if (found !== 'stale') return found;
    // One process at a time replaces what is stale: a second one would replace the lock of the first.
    const replacing = `${path}.stale`;
    const other = await takeLock(replacing, me);
    if (other) return other;
    try {
      const left = await linkOrJudge(draft, path);
      if (left !== 'stale') return left;
      await rename(draft, path);
      return null;
    } finally {
      await rm(replacing, { force: true });
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** The process that has a lock, while it runs. */
export async function lockOwner(path: string): Promise<ProcessIdentity | undefined> {
  const text = await readText(path);
  return text === undefined ? undefined : runningOf(text);
}

/** @returns null: the draft is the lock now; else whose that is */
async function linkOrJudge(draft: string, path: string): Promise<ProcessIdentity | 'stale' | null> {
  for (;;) {
    try {
      await link(draft, path);
      return null;
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
    }
    const text = await readText(path);
    // One that was given back meanwhile is free.
    if (text !== undefined) return (await runningOf(text)) ?? 'stale';
  }
}

/** Undefined when it is absent. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function runningOf(text: string): Promise<ProcessIdentity | undefined> {
  const owner = parseIdentity(parseJson(text));
  return owner !== undefined && (await isRunning(owner)) ? owner : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A process as a file names it; undefined for anything else. */
export function parseIdentity(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('born' in value)) return undefined;
  const { pid, born } = value;
  return typeof pid === 'number' && typeof born === 'string' ? { pid, born } : undefined;
}
