import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { baseEnvironment } from '@switchboard/dev';

/** Where the guides are. */
export const guidesFolder = join(import.meta.dirname, '..', '..', '..', 'docs', 'guides');

/**
 * The code of a guide, a block each, in order.
 *
 * @param fence what follows the backticks: a language, and a name where the guide has several programs in it
 * @throws Error for a guide without such a block
 */
export async function blocksOf(guide: string, fence: string): Promise<readonly string[]> {
  const markdown = await readFile(join(guidesFolder, guide), 'utf8');
  const blocks = [...markdown.matchAll(new RegExp(`^\`\`\`${fence}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  if (blocks.length === 0) throw new Error(`${guide} has no block ${fence}`);
  return blocks.map(([, code = '']) => code);
}

/** A program under way, and what it has written so far. */
export interface RunningProgram {
  readonly child: ChildProcess;
  said(): string;
}

/** Starts a program, as a reader of a guide does. @param folder where its file is made, and where it runs */
export async function startProgram(
  folder: string,
  code: string,
  environment: Readonly<Record<string, string>>,
): Promise<RunningProgram> {
  const file = join(folder, 'program.mjs');
  await writeFile(file, code);
  const child = spawn(process.execPath, [file], {
    cwd: folder,
    env: { ...baseEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, said: () => text };
}

/** Runs a program to its end. @returns its exit code, and what it wrote */
export async function runProgram(...program: Parameters<typeof startProgram>): Promise<[number | null, string]> {
  const { child, said } = await startProgram(...program);
  const [code] = (await once(child, 'close')) as [number | null];
  return [code, said()];
}
