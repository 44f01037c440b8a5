import { dropPartitions, type PastPartitions } from '@switchboard/outbox';
import type { Log } from '@switchboard/platform';
import { statement, type Database, type Queryable } from '@switchboard/postgres';
import { MONTHS_KEPT_DAYS_MIN, monthFloor } from '../message/month-floor.js';

const keepSql = statement('messaging.keep-partitions', 'SELECT keep_message_partitions()');
const keepMonthSql = statement('messaging.keep-month', 'SELECT keep_message_month($1)');
const past: PastPartitions['past'] = statement(
  'messaging.past-partitions',
  'SELECT past AS name FROM past_message_partitions($1) AS past',
);
const drop: PastPartitions['drop'] = statement(
  'messaging.drop-partition',
  'SELECT drop_message_partition($1, $2) AS "isDropped"',
);

const KEPT_MS = MONTHS_KEPT_DAYS_MIN * 24 * 60 * 60 * 1_000;

/**
 * One round: makes the months ahead of messages, of the outcomes of their attempts and of upstream ids, and drops those whose end is
 * `days` ago. A month stays as long as anything in it is open.
 *
 * @param days 0: none is dropped
 */
export async function keepMonths(database: Database, days: number, log: Log): Promise<void> {
  await database.query(keepSql, []);
  if (days === 0) return;
  const { gone, left } = await dropPartitions(database, { past, drop, days });
  for (const partition of gone) log.info('messages.month-removed', { partition });
  for (const partition of left) log.info('messages.month-kept', { partition });
}

/** Has the months there that messages of these moments go into, also those that were removed; none goes before the transaction ends. */
export async function keepMonthsOf(tx: Queryable, moments: readonly Date[]): Promise<void> {
  const old = moments.filter((moment) => Date.now() - moment.getTime() > KEPT_MS);
  const months = new Map(old.map((moment) => [monthFloor(moment), moment]));
  for (const moment of months.values()) await tx.query(keepMonthSql, [moment]);
}
