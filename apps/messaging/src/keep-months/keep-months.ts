import { dropPartitions, type PastPartitions } from '@switchboard/outbox';
import { systemClock, type Clock, type Log } from '@switchboard/platform';
import {
  CLOCKS_DIFFER_MAX_MS,
  ClocksDifferError,
  statement,
  type Database,
  type Queryable,
} from '@switchboard/postgres';
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

const DAY_MS = 24 * 60 * 60 * 1_000;
/** What may have been removed by a clock that is ahead of this one counts as old, too. */
const KEPT_MS = MONTHS_KEPT_DAYS_MIN * DAY_MS - 2 * CLOCKS_DIFFER_MAX_MS;

/**
 * One round: makes the months ahead of messages, of the outcomes of their attempts and of upstream ids, and drops those whose end is
 * `days` ago. A month stays as long as anything in it is open, and all stay while the clocks of this process and of the database differ.
 *
 * @param days 0: none is dropped
 */
export async function keepMonths(
  database: Database,
  days: number,
  log: Log,
  clock: Pick<Clock, 'now'> = systemClock,
): Promise<void> {
  await database.query(keepSql, []);
  if (days === 0) return;
  try {
    const { gone, left } = await dropPartitions(database, { past, drop, days, now: () => clock.now() });
    for (const partition of gone) log.info('messages.month-removed', { partition });
    for (const partition of left) log.info('messages.month-kept', { partition });
  } catch (error) {
    if (!(error instanceof ClocksDifferError)) throw error;
    log.error('messages.clocks-differ', { seconds: error.seconds });
  }
}

/** Has the months there that messages of these moments go into, also those that were removed; none goes before the transaction ends. */
export async function keepMonthsOf(tx: Queryable, moments: readonly Date[]): Promise<void> {
  const old = moments.filter((moment) => Date.now() - moment.getTime() > KEPT_MS);
  const months = new Map(old.map((moment) => [monthFloor(moment), moment]));
  // Each month is locked: in one order by all.
  const inOrder = [...months].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, moment] of inOrder) await tx.query(keepMonthSql, [moment]);
}
