import { type ChildProcess, spawn } from 'node:child_process';
import { open, stat } from 'node:fs/promises';
import { forget, watchOver } from './watchdog.js';

/** A server's process with its log and its end. */
export interface ServerProcess {
  readonly pid: number;
  /** Resolves when the process has ended, with a few words on how. Never rejects. */
  readonly exited: Promise<string>;
  /** What it has written to its log since it was spawned; the first MiB of it. */
  readLog(): Promise<string>;
  signal(signal: NodeJS.Signals): void;
}

/**
 * Starts a server in a process group of its own, so that Ctrl-C in a terminal reaches the supervisor alone, which then
 * ends its children in order. Output is appended to `log`.
 *
 * @throws the system's error when the binary cannot be run.
 */
export async function spawnServer(spec: {
  command: string;
  args: readonly string[];
  log: string;
  /** The whole environment of the process; a minimal one without it. */
  environment?: Readonly<Record<string, string>>;
  account?: { uid?: number; gid?: number };
  /** A descriptor of ours that the process gets as its descriptor 3: a socket to accept on. */
  handedOverFd?: number;
  /** The signal that ends the process when ours is killed; default SIGTERM. */
  orphanSignal?: NodeJS.Signals;
}): Promise<ServerProcess> {
  const from = (await stat(spec.log).catch(() => undefined))?.size ?? 0;
  const file = await open(spec.log, 'a', 0o600);
  try {
    const child = spawn(spec.command, [...spec.args], {
      // A folder that every account may enter: the working folder of the caller may be closed to `account`.
      cwd: '/',
      stdio: ['ignore', file.fd, file.fd, ...(spec.handedOverFd === undefined ? [] : [spec.handedOverFd])],
      detached: true,
      env: { ...(spec.environment ?? { LANG: 'C.UTF-8', TZ: 'UTC' }) },
      ...spec.account,
    });
    const exited = new Promise<string>((resolve) =>
      child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`)),
    );
    const pid = await spawned(child);
    watchOver(pid, spec.orphanSignal ?? 'SIGTERM');
    void exited.then(() => forget(pid));
    return {
      pid,
      exited,
      readLog: logReader(spec.log, from),
      signal: (signal) => void child.kill(signal),
    };
  } finally {
    await file.close();
  }
}

/**
 * Reads at most the first MiB: what is looked for is said early, and a log may grow without end. One that has not grown,
 * and is asked for many times a second, is not read again.
 */
function logReader(path: string, from: number): () => Promise<string> {
  let known = '';
  let knownBytes = 0;
  return async () => {
    const bytes = Math.min((await stat(path)).size - from, 1 << 20);
    if (bytes <= knownBytes) return known;
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, from);
      [known, knownBytes] = [buffer.toString('utf8', 0, bytesRead), bytesRead];
      return known;
    } finally {
      await file.close();
    }
  };
}

function spawned(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => (child.pid === undefined ? reject(new Error('no pid')) : resolve(child.pid)));
  });
}

/** Signals a server and waits for its end; SIGKILL when `graceMs` was not enough. */
export async function endServer(server: ServerProcess, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  server.signal(signal);
  const timer = setTimeout(() => server.signal('SIGKILL'), graceMs);
  await server.exited;
  clearTimeout(timer);
}
