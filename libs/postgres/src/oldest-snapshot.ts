import { statement } from './statement.js';
import type { Queryable } from './transaction.js';

/** Every role may read who holds which snapshot, but not since when: so its age is counted in transactions. */
const oldestSnapshot = statement<{ age: number }>(
  'database.oldest-snapshot',
  `SELECT greatest(0,
     (SELECT max(age(backend_xmin)) FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND (datname = current_database() OR datname IS NULL)),
     (SELECT max(age(xmin)) FROM pg_replication_slots),
     (SELECT max(age(transaction)) FROM pg_prepared_xacts WHERE database = current_database())) AS age`,
);

/**
 * Transactions that have written since the oldest snapshot of the database was taken, by a session, a standby's feedback or a
 * prepared transaction. No row that they have replaced or deleted can be removed before it ends.
 */
export async function oldestSnapshotAge(database: Queryable): Promise<number> {
  const [row] = await database.query(oldestSnapshot, []);
  return row?.age ?? 0;
}
