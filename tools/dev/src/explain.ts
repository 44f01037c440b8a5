import { statfs } from 'node:fs/promises';
import { systemErrorCode } from '@switchboard/embedded-servers';

/** PostgreSQL asks for so much at once, for its log of changes; without it what asked it is only cut off. Source: PostgreSQL manual, `wal_segment_size`. */
const FREE_BYTES_MIN = 16 * 1024 ** 2;

/**
 * Runs work and turns the system's errors into one clear line: a full disk, a missing permission, a file in the folder's place.
 *
 * @param folder what the user should look at.
 * @param freeBytes of its disk
 */
export async function explainSystemError<T>(
  folder: string,
  work: () => Promise<T>,
  freeBytes: (folder: string) => Promise<number> = freeBytesOf,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = systemErrorCode(error);
    const path = typeof error === 'object' && error !== null && 'path' in error ? String(error.path) : folder;
    if (code === 'ENOSPC') throw new Error(`The disk is full: free some space for ${folder}.`, { cause: error });
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
      const hint = 'choose a folder of your own with SWITCHBOARD_DATA_DIR, or take the old one away';
      throw new Error(`No permission for ${path}: ${hint}.`, { cause: error });
    }
    if (code === 'ENOTDIR') {
      const what = `The data folder ${folder} is a file, or below one`;
      throw new Error(`${what}: choose another with SWITCHBOARD_DATA_DIR.`, { cause: error });
    }
    if ((await freeBytes(folder)) < FREE_BYTES_MIN) {
      const said = error instanceof Error ? error.message : String(error);
      if (said.startsWith('The disk is full')) throw error;
      throw new Error(`The disk is full: free some space for ${folder} (${said}).`, { cause: error });
    }
    throw error;
  }
}

/** Of a folder that is not there, as many as it takes. */
async function freeBytesOf(folder: string): Promise<number> {
  const disk = await statfs(folder).catch(() => undefined);
  return disk === undefined ? Infinity : disk.bavail * disk.bsize;
}
