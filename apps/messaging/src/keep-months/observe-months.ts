import type { OnApplicationBootstrap } from '@nestjs/common';
import { CachedGauge, type Log } from '@switchboard/platform';
import { statement, type Queryable } from '@switchboard/postgres';

const countPastSql = statement<{ count: number }>(
  'messaging.count-past-partitions',
  'SELECT count(*)::integer AS count FROM past_message_partitions($1)',
  { writesNothing: true },
);

/** Partitions of months whose end is so many days ago. @param days 0: none */
export async function countPastMonths(on: Queryable, days: number): Promise<number> {
  if (days === 0) return 0;
  const [row] = await on.query(countPastSql, [days]);
  return row?.count ?? 0;
}

/** Shows months that should be gone: one recipient of a job that is paused for good keeps a month of all organizations, and all later ones. */
export class ObserveMonths implements OnApplicationBootstrap {
  /** @param days 0: months are kept for ever */
  constructor(
    private readonly database: Queryable,
    private readonly log: Log,
    private readonly days: number,
  ) {}

  onApplicationBootstrap(): void {
    const { database, days, log } = this;
    const months = new CachedGauge({ name: 'months of messages', read: () => countPastMonths(database, days), log });
    months.observeAs(
      'switchboard_message_months_past_retention',
      'Partitions of months of messages whose retention is over and that are not dropped',
      (count) => [{ value: count }],
    );
  }
}
