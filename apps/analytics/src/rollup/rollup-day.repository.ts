import { statement, type Queryable, type Transaction, unnestColumns } from '@switchboard/postgres';
import { MERGED, type RollupReport } from './rollup.repository.js';
import type { Grain } from './segments.policy.js';

/** A count as it is kept. */
export interface BucketCount {
  readonly report: RollupReport;
  readonly grain: Grain;
  readonly bucket: Date;
  readonly channelId: string;
  readonly key: string;
  readonly count: number;
}

/** The reports that messages count in. */
const OF_MESSAGES: readonly RollupReport[] = ['messages', 'failures', 'delivered-after', 'read-after', 'templates'];

const read = statement<BucketCount>(
  'analytics.rollup.day',
  `SELECT r.report, r.grain, r.bucket, r.channel_id AS "channelId", one.key, one.count::float8 AS count
   FROM unnest($2::text[]) AS asked(report) CROSS JOIN (VALUES (15), (60), (1440)) AS g(grain)
   JOIN rollup AS r ON r.organization_id = $1 AND r.report = asked.report AND r.grain = g.grain
     AND r.bucket >= $3 AND r.bucket < $3 + interval '1 day'
   CROSS JOIN LATERAL unnest(r.keys, r.counts) AS one(key, count)`,
);
/** In the order of the key, as every writer of counts. */
const adjust = statement(
  'analytics.rollup.adjust',
  `INSERT INTO rollup (organization_id, report, grain, bucket, channel_id, keys, counts)
   SELECT $1, d.report, d.grain, d.bucket, d.channel_id, array_agg(d.key), array_agg(d.by)
   FROM unnest($2::text[], $3::smallint[], $4::timestamptz[], $5::text[], $6::text[], $7::bigint[])
     AS d(report, grain, bucket, channel_id, key, by)
   GROUP BY 2, 3, 4, 5 ORDER BY 2, 3, 4, 5
   ON CONFLICT (organization_id, report, grain, bucket, channel_id) DO UPDATE SET ${MERGED}`,
);
/** The first message, and the first bucket of messages, from `$2` on. */
const next = statement<{ message: string | null; bucket: Date | null }>(
  'analytics.rollup.next-day',
  `SELECT (SELECT id FROM message_fact WHERE organization_id = $1 AND id >= cuid_floor($2::timestamptz) ORDER BY id LIMIT 1)
       AS message,
     (SELECT min(first.bucket) FROM unnest($3::text[]) AS asked(report)
       CROSS JOIN (VALUES (15), (60), (1440)) AS g(grain)
       CROSS JOIN LATERAL (SELECT r.bucket FROM rollup AS r WHERE r.organization_id = $1 AND r.report = asked.report
         AND r.grain = g.grain AND r.bucket >= $2::timestamptz ORDER BY r.bucket LIMIT 1) AS first) AS bucket`,
);

/** What is kept of a UTC day, in every grain. */
export async function countsOfDay(from: Queryable, organizationId: string, day: Date): Promise<BucketCount[]> {
  return from.query(read, [organizationId, OF_MESSAGES, day]);
}

/** Where the next day may be that has anything: the id of its first message, and its first bucket. */
export async function nextCounted(
  from: Queryable,
  organizationId: string,
  notBefore: Date,
): Promise<{ readonly message: string | null; readonly bucket: Date | null }> {
  const [found] = await from.query(next, [organizationId, notBefore, OF_MESSAGES]);
  return found ?? { message: null, bucket: null };
}

/** Adds to counts of single buckets when the transaction commits. @param differences `count` is what is added */
export function adjustCounts(tx: Transaction, organizationId: string, differences: readonly BucketCount[]): void {
  if (differences.length === 0) return;
  const columns = unnestColumns(differences, ['report', 'grain', 'bucket', 'channelId', 'key', 'count']);
  tx.atCommit(adjust, [organizationId, ...columns]);
}
