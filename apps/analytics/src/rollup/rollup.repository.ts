import { Injectable } from '@nestjs/common';
import { Database, statement, type Transaction, unnestColumns } from '@switchboard/postgres';

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

/** The sum of a key in a point. */
export interface RollupCount {
  /** From 0. */
  readonly point: number;
  /** `<report>:<key>`. */
  readonly key: string;
  readonly count: number;
}

const HOUR_MS = 3_600_000;

const add = statement(
  'analytics.rollup.add',
  `INSERT INTO rollup (organization_id, report, grain, bucket, channel_id, key, count)
   SELECT d.organization_id, d.report, g.grain, date_bin(make_interval(mins => g.grain), d.at, 'epoch'), d.channel_id, d.key,
     sum(d.by)
   FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::bigint[])
     AS d(organization_id, report, at, channel_id, key, by)
   CROSS JOIN (VALUES (15), (60)) AS g(grain)
   GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(d.by) <> 0 ORDER BY 1, 2, 3, 4, 5, 6
   ON CONFLICT (organization_id, report, grain, bucket, channel_id, key)
   DO UPDATE SET count = rollup.count + excluded.count`,
);
const read = statement<RollupCount>(
  'analytics.rollup.read',
  `SELECT width_bucket(r.bucket, $4::timestamptz[]) - 1 AS point, r.report || ':' || r.key AS key,
     sum(r.count)::float8 AS count
   FROM unnest($2::text[]) AS asked(report)
   JOIN rollup AS r ON r.organization_id = $1 AND r.report = asked.report AND r.grain = $3
     AND r.bucket >= ($4::timestamptz[])[1] AND r.bucket < ($4::timestamptz[])[cardinality($4::timestamptz[])]
   WHERE $5::text IS NULL OR r.channel_id = $5
   GROUP BY 1, r.report, r.key HAVING sum(r.count) <> 0`,
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

  /** @returns one for each point and key that counts anything */
  async read({ organizationId, reports, bounds, channelId }: RollupQuery): Promise<RollupCount[]> {
    const grain = bounds.every((bound) => bound.getTime() % HOUR_MS === 0) ? 60 : 15;
    return this.database.query(read, [organizationId, reports, grain, bounds, channelId]);
  }
}
