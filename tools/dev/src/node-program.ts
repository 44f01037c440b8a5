import { endServer, type ServerProcess, spawnServer } from '@switchboard/embedded-servers';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Run } from './supervised-process.js';

/** A program of this repository, run by the Node that runs us. */
export interface NodeProgram {
  readonly name: string;
  readonly entry: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Its log file: everything it prints is appended there, and nothing of it passes through this process. */
  readonly log: string;
  /** A socket to accept on, which it gets as descriptor 3 (`LISTEN_FDS=1`). */
  readonly handedOverFd?: number | undefined;
}

/**
 * What the image of the services starts Node with, too (deploy/docker/Dockerfile). A young generation of 16 MB, in place of 32, and one arena
 * of malloc, in place of one for each thread, save a fourth of the memory under load, and cost little of the speed (docs/performance.md, Memory).
 */
export const NODE_FLAGS: readonly string[] = ['--enable-source-maps', '--max-semi-space-size=16'];
/** See `NODE_FLAGS`. */
export const NODE_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '1' };

const readyTimeoutMs = 60_000;

/** What `readConfig` throws, on its own or as the message of a line of the log: every key at fault, in a line of its own. */
const CONFIGURATION = /^(?:Error: )?configuration:\n((?: {2}\S.*(?:\n|$))+)/gm;

/** A run of a service, with the line in which it said that it is ready. */
export interface ServiceRun extends Run {
  readonly url: string;
  readonly ready: ReadonlyMap<string, unknown>;
}

/**
 * Starts a service and waits until it says that it is ready: a line of JSON on stdout with the event `service.ready`
 * and its `url`.
 *
 * @throws Error in one line, with the last thing it said and its log's path, when it ends or stays silent for 60 s.
 */
export async function launchService(program: NodeProgram, signal: AbortSignal): Promise<ServiceRun> {
  const server = await spawnProgram(program);
  let how: string | undefined;
  void server.exited.then((reason) => (how = reason));
  const deadline = Date.now() + readyTimeoutMs;
  let ready: ReadonlyMap<string, unknown> | undefined;
  for (let seen = ''; how === undefined && Date.now() < deadline && !signal.aborted;) {
    const said = await server.readLog();
    if (said !== seen) ready = findReadyLine(said);
    seen = said;
    const url = ready?.get('url');
    if (ready !== undefined && typeof url === 'string') {
      const stop = (graceMs: number): Promise<void> => endServer(server, 'SIGTERM', graceMs);
      const internal = ready.get('internalUrl');
      const internalUrl = typeof internal === 'string' ? internal : undefined;
      return { pid: server.pid, url, internalUrl, ready, exited: server.exited, stop };
    }
    await delay(20);
  }
  await endServer(server, signal.aborted ? 'SIGTERM' : 'SIGKILL', 1_000);
  throw new Error(explain(program, await server.readLog(), how ?? 'it did not become ready within 60 s'));
}

/**
 * Runs a program to its end.
 *
 * @returns the last line that it printed.
 * @throws Error in one line when it ends with another code than 0, or when `signal` aborts.
 */
export async function runProgram(program: NodeProgram, signal: AbortSignal): Promise<string> {
  const server = await spawnProgram(program);
  const onAbort = (): void => server.signal('SIGTERM');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const how = await server.exited;
  signal.removeEventListener('abort', onAbort);
  const said = await server.readLog();
  if (how !== 'exit code 0') throw new Error(explain(program, said, how));
  return said.trimEnd().split('\n').at(-1) ?? '';
}

function spawnProgram(program: NodeProgram): Promise<ServerProcess> {
  return spawnServer({
    command: process.execPath,
    args: [...NODE_FLAGS, program.entry],
    log: program.log,
    environment: { ...NODE_ENVIRONMENT, ...program.environment },
    ...(program.handedOverFd === undefined ? {} : { handedOverFd: program.handedOverFd }),
  });
}

function findReadyLine(log: string): ReadonlyMap<string, unknown> | undefined {
  const line = log.split('\n').find((candidate) => candidate.includes('"service.ready"'));
  if (line === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? new Map(Object.entries(parsed)) : undefined;
  } catch {
    return undefined; // half written
  }
}

function explain(program: NodeProgram, said: string, how: string): string {
  if (/ENOSPC|no space left on device/i.test(said)) return `The disk is full: ${program.name} cannot start.`;
  const port = /EADDRINUSE[^\n]*?:(\d+)/.exec(said)?.[1];
  if (port !== undefined) return `Port ${port} is taken, ${program.name} cannot use it.`;
  const sentences = said.split('\n').map(sentenceOf).join('\n');
  const problems = [...sentences.matchAll(CONFIGURATION)].at(-1)?.[1];
  const lines = said.split('\n').filter((line) => line.trim() !== '' && !/^\s+at |^Node\.js v|^\s*[\^}]/.test(line));
  const telling =
    problems?.trim().replaceAll(/\n\s*/g, '; ') ??
    lines.findLast((line) => /error|required|must|cannot/i.test(line)) ??
    lines.at(-1) ??
    'it said nothing';
  return `${program.name} did not start (${how}): ${sentenceOf(telling)
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .slice(0, 500)} (${basename(program.log)} has more: ${program.log})`;
}

/** The message of the error that a line of a service's log reports; any other line as it is. */
function sentenceOf(line: string): string {
  try {
    const { error } = JSON.parse(line) as { error?: { message?: unknown } };
    return typeof error?.message === 'string' ? error.message : line;
  } catch {
    return line; // no JSON
  }
}
