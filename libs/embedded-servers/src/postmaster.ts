import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine, endProcess, identifyProcess, type ProcessIdentity } from './process-identity.js';

/** What `postmaster.pid` says while a server owns a data folder. */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  /** `starting`, `ready`, `stopping`, `standby`: the eighth line, which pg_ctl waits on as well. */
  readonly status: string;
}

/** Reads `postmaster.pid`; undefined when there is none or it is half written. */
export async function readPostmasterFile(folder: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => undefined);
  const lines = text?.split('\n') ?? [];
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number(lines[3] ?? 0), status: (lines[7] ?? '').trim() };
}

/** The server that runs on a data folder now: the pid of its file, and its command line names the folder. */
export async function findPostmaster(folder: string): Promise<ProcessIdentity | undefined> {
  const file = await readPostmasterFile(folder);
  if (file === undefined) return undefined;
  const identity = await identifyProcess(file.pid);
  const line = identity === undefined ? undefined : await commandLine(file.pid);
  return line?.includes(`-D ${folder} `) ? identity : undefined;
}

/**
 * Ends a server that a killed parent left on a data folder, and removes a `postmaster.pid` that names no such server
 * (after a power cut its pid may belong to anything, and PostgreSQL would refuse to start because of it).
 *
 * @returns whether a server was ended.
 */
export async function endLeftoverPostgres(folder: string): Promise<boolean> {
  const postmaster = await findPostmaster(folder);
  // SIGINT is PostgreSQL's fast shutdown: sessions are cut, a checkpoint is written.
  if (postmaster !== undefined) await endProcess(postmaster, 'SIGINT', 8_000);
  await rm(join(folder, 'postmaster.pid'), { force: true });
  return postmaster !== undefined;
}
