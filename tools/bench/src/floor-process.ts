import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A floor, running: a hand-tuned process that does the same durable work. */
export interface Floor {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the program of a floor, which prints its address once it listens (`serveFloor`). */
export async function startFloorProcess(
  program: string,
  environment: Readonly<Record<string, string>>,
): Promise<Floor> {
  const child = spawn(process.execPath, [program], {
    // It ends with its standard input, so that nothing is left when the bench is interrupted.
    stdio: ['pipe', 'pipe', 'inherit'],
    env: environment,
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    url: line.toString().trim(),
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
