import { statement, type Queryable } from '@switchboard/postgres';

const countSql = statement<{ count: number }>(
  'test.lock-waiters',
  "SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
);

/** How many sessions of the database wait for a lock. @param superuser others see no waits but their own */
export async function lockWaiters(superuser: Queryable): Promise<number> {
  return (await superuser.query(countSql, []))[0]?.count ?? 0;
}
