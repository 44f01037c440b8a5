import { systemErrorCode } from '@switchboard/embedded-servers';

/**
 * Runs work and turns the system's errors into one clear line: a full disk, a missing permission, a file in the folder's place.
 *
 * @param folder what the user should look at.
 */
export async function explainSystemError<T>(folder: string, work: () => Promise<T>): Promise<T> {
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
    throw error;
  }
}
