import { cuidFloor, cuidTime } from '@switchboard/contracts/grammar/cuid';
import { statement, type Queryable } from '@switchboard/postgres';

const keepSql = statement('analytics.fact-month.keep', 'SELECT keep_fact_month($1)');

/**
 * Has the months there that facts of these messages go into, before the transaction that stores them: those of the last one and of now
 * are kept ready. Without them all of a rebuild would go into one partition, which every new month would be compared with.
 */
export async function keepFactMonths(on: Queryable, messageIds: readonly string[], now: Date): Promise<void> {
  const ready = cuidFloor(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)));
  const old = messageIds.filter((id) => id < ready).map(cuidTime);
  const months = new Set(old.map((time) => Date.UTC(time.getUTCFullYear(), time.getUTCMonth())));
  for (const month of [...months].toSorted((a, b) => a - b)) await on.query(keepSql, [new Date(month)]);
}
