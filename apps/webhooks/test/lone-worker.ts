import { statement, type Database } from '@switchboard/postgres';
import { WorkerLease } from '../src/deliver/worker-lease.js';

const forgetSql = statement('t.forget-workers', 'DELETE FROM worker');
const lengthenSql = statement(
  't.lengthen-lease',
  `UPDATE worker SET lease_until = now() + interval '1 hour' WHERE id = $1`,
);

/**
 * A worker next to which no other lives, of the tests before: one of them might be preferred. It keeps what it owns for longer than a
 * test takes on a busy machine.
 *
 * @returns its lease, and the database's clock
 */
export async function loneWorker(database: Database): Promise<{ readonly lease: WorkerLease; readonly nowMs: number }> {
  await database.query(forgetSql, []);
  const lease = new WorkerLease(database);
  const nowMs = await lease.renew();
  await database.query(lengthenSql, [lease.id]);
  return { lease, nowMs };
}
