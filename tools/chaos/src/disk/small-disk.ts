import { execFile } from 'node:child_process';
import { chmod, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../stage/temporary-folder.js';

const run = promisify(execFile);
const BLOCK = Buffer.alloc(64 * 1024);

/** A file system of a few megabytes in memory, which can be filled to its last byte and freed again. */
export class SmallDisk {
  private constructor(readonly folder: string) {}

  /** @returns why this machine does not allow it, instead of a disk */
  static async mount(megabytes: number): Promise<SmallDisk | { readonly notAllowed: string }> {
    const folder = await temporaryFolder();
    // PostgreSQL runs under another account than we do when we are root.
    await chmod(folder, 0o755);
    try {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', folder]);
      return new SmallDisk(folder);
    } catch (error) {
      await rm(folder, { recursive: true });
      return { notAllowed: `no file system can be mounted (${error instanceof Error ? firstLine(error) : 'unknown'})` };
    }
  }

  /** Takes every byte that is left. @returns how many */
  async fill(): Promise<number> {
    const ballast = await open(this.ballast, 'a');
    let bytes = 0;
    try {
      for (let size = BLOCK.length; size > 0;) {
        const written = await ballast.write(BLOCK, 0, size).then(
          ({ bytesWritten }) => bytesWritten,
          () => 0,
        );
        bytes += written;
        // The last block does not fit whole: smaller ones may.
        if (written < size) size = Math.floor(size / 2);
      }
    } finally {
      await ballast.close();
    }
    return bytes;
  }

  /** Gives back what was taken. */
  async free(): Promise<void> {
    await rm(this.ballast, { force: true });
  }

  /** Nothing may run on it any more. */
  async unmount(): Promise<void> {
    await run('umount', [this.folder]);
    await rm(this.folder, { recursive: true });
  }

  private get ballast(): string {
    return join(this.folder, 'ballast');
  }
}

function firstLine({ message }: Error): string {
  return (message.split('\n')[1] ?? message).trim();
}
