import { Injectable } from '@nestjs/common';
import { Database, statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import { segmentsOf } from './segments.policy.js';

/** What is counted together: `delays` by bucket of a sketch, `templates` and `requests` by what their keys say. */
export type RollupReport = 'messages' | 'failures' | 'delays' | 'templates' | 'requests';

/** What is added to a count, or taken from it. */
export interface RollupDifference {
  readonly organizationId: string;
  readonly report: RollupReport;
  /** Any moment of the bucket. */
  readonly at: Date;
  /** Empty where the report knows no channel. */
  readonly channelId: string;
  readonly key: string;
  readonly by: number;
}

/** Counts that are asked for. */
export interface RollupQuery {
  readonly organizationId: string;
  readonly reports: readonly RollupReport[];
  /** Where each point begins, and the end of the last; multiples of 15 minutes. */
  readonly bounds: readonly Date[];
  readonly channelId: string | null;
}

/** What was counted in a bucket of time. */
export interface RollupRow {
  /** The point that the bucket lies in, from 0. */
  readonly point: number;
  readonly report: RollupReport;
  /** Lines of `<count> <key>`; a key may come twice, of two channels. */
  readonly counts: string;
}

const add = statement(
  'analytics.rollup.add',
  `INSERT INTO rollup (organization_id, report, grain, bucket, channel_id, key, count)
   SELECT d.organization_id, d.report, g.grain, date_bin(make_interval(mins => g.grain), d.at, 'epoch'), d.channel_id, d.key,
     sum(d.by)
   FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::bigint[])
     AS d(organization_id, report, at, channel_id, key, by)
   CROSS JOIN (VALUES (15), (60), (1440)) AS g(grain)
   GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(d.by) <> 0 ORDER BY 1, 2, 3, 4, 5, 6
   ON CONFLICT (organization_id, report, grain, bucket, channel_id, key)
   DO UPDATE SET count = rollup.count + excluded.count`,
);
/**
 * A row for each bucket, its counts as one text: a month of hours is a quarter of a million counts, whose rows would cost more
 * than the counts. Each segment is read in the order of the primary key, so that nothing is sorted.
 */
const read = statement<{ report: RollupReport; bucket: Date; counts: string }>(
  'analytics.rollup.read',
  `SELECT asked.report, found.bucket, found.counts
   FROM unnest($2::text[]) AS asked(report)
   CROSS JOIN unnest($3::smallint[], $4::timestamptz[], $5::timestamptz[]) AS segment(grain, since, until)
   CROSS JOIN LATERAL (
     SELECT r.bucket, string_agg(r.count || ' ' || r.key, E'\\n') AS counts FROM rollup AS r
     WHERE r.organization_id = $1 AND r.report = asked.report AND r.grain = segment.grain
       AND r.bucket >= segment.since AND r.bucket < segment.until
       AND ($6::text IS NULL OR r.channel_id = $6) AND r.count <> 0
     GROUP BY r.bucket) AS found`,
);

/** Adds to the counts when the transaction commits: from there on whoever adds to one of the same buckets waits for it. */
export function addToRollup(tx: Transaction, differences: readonly RollupDifference[]): void {
  if (differences.length === 0) return;
  tx.atCommit(add, unnestColumns(differences, ['organizationId', 'report', 'at', 'channelId', 'key', 'by']));
}

/** Reads counts. */
@Injectable()
export class RollupRepository {
  constructor(private readonly database: Database) {}

  /** @returns one for each bucket and report that count anything */
  async read({ organizationId, reports, bounds, channelId }: RollupQuery): Promise<RollupRow[]> {
    const segments = unnestColumns(segmentsOf(bounds), ['grain', 'from', 'to']);
    const rows = await this.database.query(read, [organizationId, reports, ...segments, channelId]);
    return rows.map(({ report, bucket, counts }) => ({ point: pointOf(bucket, bounds), report, counts }));
  }
}

/** The last point that begins no later. */
function pointOf(bucket: Date, bounds: readonly Date[]): number {
  let [low, high] = [0, bounds.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((bounds[middle]?.getTime() ?? Infinity) <= bucket.getTime()) low = middle;
    else high = middle;
  }
  return low;
}
