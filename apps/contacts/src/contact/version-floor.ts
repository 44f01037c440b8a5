import type { Restore } from '@switchboard/outbox';
import type { Log } from '@switchboard/platform';
import { statement, type Database } from '@switchboard/postgres';

/** One above the other however often there is a restore, to whatever moment: no contact changes once a millisecond. */
const MILLISECONDS = (moment: string): string => `(extract(epoch FROM ${moment}) * 1000)::bigint`;

/**
 * SQL of the version that other services may hold of a contact whose changes this database has lost: the moment of the last restore. A
 * server that was started since the database was compared may run on a backup, and counts as restored when it was started. A standby that
 * was promoted may have been started before the last restore: it counts from the last transaction that it got.
 */
export const VERSION_FLOOR = `(SELECT CASE WHEN i.server_started_at <> pg_postmaster_start_time()
     THEN greatest(f.version, ${MILLISECONDS('pg_postmaster_start_time()')},
       ${MILLISECONDS('pg_last_xact_replay_timestamp()')}) ELSE f.version END
   FROM version_floor f LEFT JOIN incarnation i ON i.id = 1 WHERE f.id = 1)`;

const raiseSql = statement<{ version: number }>(
  'contacts.version-floor.raise',
  `UPDATE version_floor SET version = greatest(version, ${MILLISECONDS('clock_timestamp()')}) WHERE id = 1
   RETURNING version::float8 AS version`,
);

/**
 * After a restore from a backup: versions of contacts go on above those that other services were given since the backup. They
 * would take what contacts say from now on for older than what they hold. It may run more than once.
 */
export async function raiseVersionFloor(database: Database, { writtenBefore }: Restore, log: Log): Promise<void> {
  const [row] = await database.query(raiseSql, []);
  log.warn('contacts.versions-raised-after-restore', {
    writtenBefore: writtenBefore.toISOString(),
    version: row?.version,
  });
}
