import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The account that PostgreSQL runs under when we are root, for it refuses to run as root: `nobody` everywhere. */
export const unprivilegedUser = { uid: 65534, gid: 65534 } as const;

/** Whether this process is root and therefore has to give PostgreSQL another account. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Options for `spawn` that drop root's rights; empty for an ordinary user. */
export function spawnAccount(): { uid?: number; gid?: number } {
  return isRoot() ? unprivilegedUser : {};
}

/**
 * Whether the unprivileged account can enter every folder above `path` (not `path` itself, which may not exist yet).
 * Typical refusal: a checkout below `/root`, which is mode 0700.
 */
export async function canReach(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => undefined);
    if (found !== undefined) {
      const shift = found.uid === unprivilegedUser.uid ? 6 : found.gid === unprivilegedUser.gid ? 3 : 0;
      if (((found.mode >> shift) & 1) === 0) return false;
    }
    if (folder === dirname(folder)) return true;
  }
}
