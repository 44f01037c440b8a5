import { once } from 'node:events';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, createServer, type Server } from 'node:net';
import { isSystemError } from './system-error.js';

/**
 * Shows that the process that made it lives, for as long as it does and not a moment longer: a socket on which it listens.
 * The kernel closes it when the process has ended, whatever ended it, and keeps it for one that is stopped (SIGSTOP).
 *
 * Sound among processes of one kernel: compare boot ids first (`journal-file.ts`).
 */
export class ProcessLock {
  private constructor(
    private readonly server: Server,
    private readonly folderFd: number,
  ) {}

  /** @throws when the folder takes no socket */
  static async hold(folder: string, name: string): Promise<ProcessLock> {
    const server = createServer((socket) => void socket.destroy());
    const folderFd = openSync(folder, 'r');
    try {
      server.listen(socketPath(folderFd, name));
      await once(server, 'listening');
    } catch (error) {
      closeSync(folderFd);
      throw error;
    }
    server.unref();
    return new ProcessLock(server, folderFd);
  }

  /** Removes the socket: what the process leaves behind is not judged any more. */
  async release(): Promise<void> {
    await new Promise<void>((resolve) => void this.server.close(() => resolve()));
    closeSync(this.folderFd);
  }
}

/** Says of a process that it begins nothing any more, for the time when its socket is gone. @throws when it cannot be written */
export function noteOfEnd(folder: string, name: string): void {
  writeFileSync(endPath(folder, name), '', { mode: 0o600 });
}

/**
 * What is known of the process that held a lock. It has provably ended when it has said so, or when its socket is there and
 * nothing listens. A socket that is gone, or that may not be asked, proves nothing.
 */
export async function stateOfHolder(folder: string, name: string): Promise<'lives' | 'ended' | 'unknown'> {
  if (existsSync(endPath(folder, name))) return 'ended';
  const folderFd = openSync(folder, 'r');
  const socket = connect(socketPath(folderFd, name));
  try {
    await once(socket, 'connect');
    return 'lives';
  } catch (error) {
    return isSystemError(error, 'ECONNREFUSED') ? 'ended' : 'unknown';
  } finally {
    socket.destroy();
    closeSync(folderFd);
  }
}

/** The process whose lock, or word of its end, a file of the folder is; null for another file. */
export function holderOf(fileName: string): string | null {
  return /^(.+)\.(?:sock|ended)$/.exec(fileName)?.[1] ?? null;
}

/** Where the lock of a process is. */
export function lockPath(folder: string, name: string): string {
  return join(folder, `${name}.sock`);
}

/** Where a process says that it has ended. */
export function endPath(folder: string, name: string): string {
  return join(folder, `${name}.ended`);
}

/** Through the open folder, because a socket's address holds 107 bytes and a folder's path may be longer. */
function socketPath(folderFd: number, name: string): string {
  return lockPath(`/proc/self/fd/${folderFd}`, name);
}
