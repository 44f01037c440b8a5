import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { eventually } from './eventually.js';

/** A line of a program's log, as far as tests look at it. */
export interface LoggedLine {
  readonly event: string;
  readonly url?: string;
  readonly count?: number;
}

/** A built program that runs. */
export interface BuiltProgram {
  /** The first line with this event, also one that is long past. @throws Error with its whole log when it ends without it */
  logged(event: string): Promise<LoggedLine>;
  /** Sends SIGTERM and waits for the end. @returns the exit code, null when a signal ended it */
  stop(): Promise<number | null>;
}

/**
 * Runs a built program with nothing in its environment but what is given; it is killed after the tests.
 *
 * @param file the `dist` file that Node runs
 */
export function runBuiltProgram(
  tests: { onEnd(cleanUp: () => Promise<unknown>): void },
  file: string,
  environment: Readonly<Record<string, string>>,
): BuiltProgram {
  const child = spawn(process.execPath, [file], { env: { ...environment }, stdio: ['ignore', 'pipe', 'inherit'] });
  tests.onEnd(async () => void child.kill('SIGKILL'));
  const lines: LoggedLine[] = [];
  const endedWithout = (event: string): Error =>
    new Error(
      `the program ended without logging ${event}; it logged:\n${lines.map((line) => JSON.stringify(line)).join('\n')}`,
    );
  const reader = createInterface({ input: child.stdout });
  const exit = once(child, 'exit');
  const closed = once(reader, 'close');
  reader.on('line', (line) => lines.push(JSON.parse(line) as LoggedLine));
  return {
    async logged(event) {
      for (;;) {
        const found = lines.find((line) => line.event === event);
        if (found) return found;
        await Promise.race([once(reader, 'line'), closed.then(() => Promise.reject(endedWithout(event)))]);
      }
    },
    async stop() {
      child.kill('SIGTERM');
      const [code] = (await exit) as [number | null];
      return code;
    },
  };
}

/** Until all that the process at `url` needs answers; on a machine that is busy with other work its first checks may end late. */
export async function untilReady(url: string | undefined): Promise<void> {
  await eventually(async () => (await fetch(new URL('/health/ready', url))).status === 200);
}
