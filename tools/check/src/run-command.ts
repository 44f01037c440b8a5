import { spawn } from 'node:child_process';

/** What a finished command left behind. */
export interface CommandResult {
  /** null when it was ended by a signal, as a passed deadline does. */
  readonly exitCode: number | null;
  /** Standard output, followed by standard error. */
  readonly output: string;
}

/**
 * Runs a program and waits for its end.
 *
 * @param options.deadlineMs after which it is killed; a check that hangs is a failed check.
 * @throws Error when it cannot be started at all.
 */
export function runCommand(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly deadlineMs?: number },
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      timeout: options.deadlineMs ?? 120_000,
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
