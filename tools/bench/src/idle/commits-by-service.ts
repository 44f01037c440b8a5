import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';

/** The server's log is written by others. */
const WRITTEN_MS = 1_000;
/** A statement that has ended: the session, the service by its role, and the first word. What is parsed or bound has lines of its own. */
const ENDED = /\[(\d+)\] switchboard_([a-z-]+)@\S+ LOG: {2}duration: \S+ ms {2}(?:execute|statement)[^:]*:\s*(\w*)/;

/**
 * Has the server log the statements of all services from now on. What it counts in `pg_stat_database` is of all services together, and
 * the local run's server was started without this setting, so that a session takes it from its database, when it begins.
 */
export async function logStatements(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT quote_ident(current_database()) AS name');
  await client.query(`ALTER DATABASE ${rows[0]?.name ?? ''} SET log_min_duration_statement = 0`);
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
}

/**
 * Transactions that ended during the work, by the service that made them, as the log has them behind `logStatements`. A statement
 * outside of BEGIN and COMMIT is one.
 *
 * @param logFile of the server, all of whose lines begin with `%m [%p] %q%u@%d`
 */
export async function commitsByService(
  logFile: string,
  work: () => Promise<unknown>,
): Promise<{ readonly commits: ReadonlyMap<string, number>; readonly ms: number }> {
  const file = await open(logFile);
  try {
    const { size: start } = await file.stat();
    const startedMs = performance.now();
    await work();
    const ms = performance.now() - startedMs;
    await wait(WRITTEN_MS);
    const commits = new Map<string, number>();
    const begun = new Set<string>();
    const lines = createInterface({ input: file.createReadStream({ start, autoClose: false }) });
    for await (const line of lines) {
      const [, pid = '', service = '', word = ''] = ENDED.exec(line) ?? [];
      if (word === 'BEGIN') begun.add(pid);
      else if (pid !== '' && (word === 'COMMIT' || word === 'ROLLBACK' || !begun.has(pid))) {
        begun.delete(pid);
        commits.set(service, (commits.get(service) ?? 0) + 1);
      }
    }
    return { commits, ms };
  } finally {
    await file.close();
  }
}
