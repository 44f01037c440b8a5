import { statement, type Queryable } from '@switchboard/postgres';
import { OUTBOX_RETENTION_DAYS } from './keep-partitions.js';

/** How the tables that a service partitions by time stand. */
export interface PartitionDays {
  /** Whole days after today, in UTC, that can be written to, by table: those of a month to its end. */
  readonly ahead: ReadonlyMap<string, number>;
  /** Days of outbox and inbox that are past retention and not dropped. */
  readonly past: number;
}

/** By the names that `ensure_partition` gives; reads the catalog alone. */
const daysAhead = statement<{ table: string; days: number }>(
  'outbox.partition-days',
  `SELECT parent.relname::text AS "table",
     max(CASE length(suffix) WHEN 8 THEN to_date(suffix, 'YYYYMMDD')
       ELSE (to_date(suffix, 'YYYYMM') + interval '1 month')::date - 1 END) - (now() AT TIME ZONE 'UTC')::date AS days
   FROM pg_class AS parent
   CROSS JOIN LATERAL (SELECT inhrelid FROM pg_inherits WHERE inhparent = parent.oid OFFSET 0) AS i
   JOIN pg_class AS child ON child.oid = i.inhrelid
   CROSS JOIN LATERAL (SELECT substring(child.relname FROM '_([0-9]{8}|[0-9]{6})$') AS suffix) AS named
   WHERE parent.relkind = 'p' AND parent.relnamespace = current_schema()::regnamespace AND suffix IS NOT NULL
   GROUP BY parent.relname ORDER BY parent.relname`,
);
const daysPast = statement<{ days: number }>(
  'outbox.partition-days-past',
  'SELECT count(*)::int AS days FROM past_partitions($1)',
);

/** Reads how far ahead partitions are made, and how many are still there past their time. */
export async function partitionDays(database: Queryable): Promise<PartitionDays> {
  const ahead = await database.query(daysAhead, []);
  const [past] = await database.query(daysPast, [OUTBOX_RETENTION_DAYS]);
  return { ahead: new Map(ahead.map(({ table, days }) => [table, days])), past: past?.days ?? 0 };
}
