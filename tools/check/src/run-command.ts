import { spawn } from 'node:child_process';

/** What a finished command left behind. */
export interface CommandResult {
  /** null when it was ended by a signal, as a passed deadline does. */
  readonly exitCode: number | null;
  /** Standard output, followed by standard error. */
  readonly output: string;
}

/** A check that hangs is a failed check; on a machine with eight processes next to it the types alone took three minutes. */
const DEADLINE_MS = 600_000;

/**
 * Runs a program and waits for its end; after ten minutes it is killed.
 *
 * @throws Error when it cannot be started at all.
 */
export function runCommand(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string },
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      timeout: DEADLINE_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.once('error', reject);
    child.once('close', (exitCode) =>
      resolve({ exitCode, output: Buffer.concat([...output, ...errors]).toString('utf8') }),
    );
  });
}

/** The path of a program that an installed package brings, such as `oxlint`. */
export function installedProgram(root: string, name: string): string {
  return `${root}/node_modules/.bin/${name}`;
}
