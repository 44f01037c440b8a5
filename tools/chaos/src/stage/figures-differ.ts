import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify, types } from 'node:util';
import type { Finding } from '../audit/finding.js';
import type { Stage } from './stage.js';

const run = promisify(execFile);
const program = join(import.meta.dirname, '..', '..', '..', 'admin', 'dist', 'main.js');

/** Compares the figures with the messages as an operator does: `npm run admin -- analytics check`. */
export async function figuresDiffer({ stack }: Stage): Promise<Finding[]> {
  try {
    await run(process.execPath, [program, 'analytics', 'check', '--database-url', stack.devJson.databaseUrl ?? '']);
    return [];
  } catch (error) {
    const said = types.isNativeError(error) && 'stderr' in error ? String(error.stderr) : String(error);
    return [{ rule: 'figures.differ', detail: said.trim() }];
  }
}
