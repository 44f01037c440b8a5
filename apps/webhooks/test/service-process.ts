import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const main = join(import.meta.dirname, '..', 'dist', 'main.js');

/** A replica of the service as an OS process. */
export interface ServiceProcess {
  readonly pid: number;
  /** Ends it as a crash does: nothing of it runs any further. */
  kill(): Promise<void>;
}

/** Starts a replica and waits until it is ready; it is killed after the tests. */
export async function startProcess(
  onEnd: (cleanUp: () => Promise<unknown>) => void,
  environment: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const child: ChildProcess = spawn(process.execPath, [main], {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exit;
  };
  onEnd(kill);
  if (!child.stdout || child.pid === undefined) throw new Error('the process did not start');
  const reader = createInterface({ input: child.stdout });
  const ended = exit.then(() => Promise.reject(new Error('the service ended before it was ready')));
  const ready = new Promise<void>((resolve) => {
    reader.on('line', (line) => {
      if (line.includes('"service.ready"')) resolve();
    });
  });
  ended.catch(() => undefined);
  await Promise.race([ready, ended]);
  return { pid: child.pid, kill };
}
