import { prepared, statement, type Database } from '@switchboard/postgres';

/** The server ends the session of a process that stands still for so long, and the turn is another's. */
const SILENT_MAX_MS = 60_000;
const tryLock = statement<{ locked: boolean }>(
  'incarnation.take-back-lock',
  `SELECT set_config('idle_session_timeout', $1, false),
     pg_try_advisory_lock(hashtextextended('take-back of ' || current_schema(), 0)) AS locked`,
);

/**
 * Has one replica of a service at a time take back what a backup would do again, under a session's advisory lock. Another one that
 * began meanwhile would take back what has become due since the first was done.
 *
 * @returns undefined without any work when it is another replica's turn
 */
export async function inTurn<Result>(
  database: Pick<Database, 'connect'>,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const client = await database.connect();
  // A connection that is lost ends the lock alone: the work goes on, and must bear another's.
  const onLost = (): void => undefined;
  client.on('error', onLost);
  try {
    const { rows } = await client.query<{ locked: boolean }>(prepared(tryLock, [String(SILENT_MAX_MS)]));
    return rows[0]?.locked === true ? await work() : undefined;
  } finally {
    client.removeListener('error', onLost);
    // Closing the session is what frees the lock.
    client.release(true);
  }
}
