import { readFile } from 'node:fs/promises';

/** Stops a process and all that descend from it, as a machine that stands still; `thaw` lets them go on. */
export async function freezeTree(pid: number): Promise<{ thaw(): void }> {
  const stopped: number[] = [];
  // The parent first: a postmaster that is stopped makes no further children.
  const stop = async (one: number): Promise<void> => {
    if (!signal(one, 'SIGSTOP')) return;
    stopped.push(one);
    for (const child of await childrenOf(one)) await stop(child);
  };
  await stop(pid);
  return {
    thaw: () => {
      for (const one of stopped.toReversed()) signal(one, 'SIGCONT');
    },
  };
}

/** False when the process has ended meanwhile. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}
