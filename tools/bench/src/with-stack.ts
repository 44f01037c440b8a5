import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack, type RunningStack } from '@switchboard/dev';
import pg from 'pg';

/**
 * Starts a stack on a data folder of its own, connects to its database as the administrator, measures, and ends and
 * removes all of it, also when measuring fails.
 *
 * @param onLine gets one line of progress
 */
export async function withStack<Result>(
  onLine: (line: string) => void,
  measure: (stack: RunningStack, client: pg.Client, dataDir: string) => Promise<Result>,
): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
  let stack: RunningStack | undefined;
  let client: pg.Client | undefined;
  try {
    onLine('starting everything');
    stack = await startStack({ dataDir, quiet: true });
    client = new pg.Client({ connectionString: stack.devJson.databaseUrl });
    await client.connect();
    return await measure(stack, client, dataDir);
  } finally {
    await client?.end();
    await stack?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
