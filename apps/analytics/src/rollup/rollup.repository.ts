import { Injectable } from '@nestjs/common';
import { Database, statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import { composed, lengthMs, type Grain, type PointUse } from './segments.policy.js';

/**
 * What is counted together: `delivered-after` and `read-after` by class of a sketch, `templates` and `requests` by what their
 * keys say.
 */
export type RollupReport = 'messages' | 'failures' | DelayReport | 'templates' | 'requests';

/** Until when a delay is measured, from the sending on. */
export type DelayReport = 'delivered-after' | 'read-after';

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

/** What was counted in a bucket of time, on a channel. */
export interface RollupRow {
  /** The points that it is added to, or taken from. */
  readonly uses: readonly PointUse[];
  readonly report: RollupReport;
  /** One a line. */
  readonly keys: string;
  /** Those of the keys, as PostgreSQL writes an array: `{4,1}`. */
  readonly counts: string;
}

/** What both rows of a bucket add up to, key by key; a key whose count is 0 goes. */
export const MERGED = `(keys, counts) = (SELECT coalesce(array_agg(key), '{}'), coalesce(array_agg(count), '{}') FROM (
     SELECT key, sum(count)::bigint AS count FROM (SELECT * FROM unnest(rollup.keys, rollup.counts)
       UNION ALL SELECT * FROM unnest(excluded.keys, excluded.counts)) AS one(key, count)
     GROUP BY key HAVING sum(count) <> 0) AS merged)`;

const add = statement(
  'analytics.rollup.add',
  `INSERT INTO rollup (organization_id, report, grain, bucket, channel_id, keys, counts)
   SELECT organization_id, report, grain, bucket, channel_id, array_agg(key), array_agg(by) FROM (
     SELECT d.organization_id, d.report, g.grain, date_bin(make_interval(mins => g.grain), d.at, 'epoch') AS bucket,
       d.channel_id, d.key, sum(d.by)::bigint AS by
     FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::bigint[])
       AS d(organization_id, report, at, channel_id, key, by)
     CROSS JOIN (VALUES (15), (60), (1440)) AS g(grain)
     GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(d.by) <> 0) AS one
   GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
   ON CONFLICT (organization_id, report, grain, bucket, channel_id) DO UPDATE SET ${MERGED}`,
);
/**
 * Each segment is read in the order of the primary key, so that nothing is sorted. OFFSET 0 keeps report and time what the index is
 * looked up by: else the planner reads all that the organization ever counted and compares each row with what is asked for. A report
 * of hours in a zone of quarters has a segment for each: they are looked up where anything was counted in all of their time alone.
 */
const read = statement<Omit<RollupRow, 'uses'> & { grain: Grain; bucketMs: number }>(
  'analytics.rollup.read',
  `SELECT asked.report, found.* FROM unnest($2::text[]) AS asked(report)
   CROSS JOIN (SELECT span.grain, min(span.since) AS since, max(span.until) AS until
     FROM unnest($3::smallint[], $4::timestamptz[], $5::timestamptz[]) AS span(grain, since, until) GROUP BY span.grain) AS whole
   CROSS JOIN LATERAL (SELECT FROM rollup AS any_of
     WHERE any_of.organization_id = $1 AND any_of.report = asked.report AND any_of.grain = whole.grain
       AND any_of.bucket >= whole.since AND any_of.bucket < whole.until LIMIT 1) AS counted
   JOIN unnest($3::smallint[], $4::timestamptz[], $5::timestamptz[]) AS segment(grain, since, until)
     ON segment.grain = whole.grain
   CROSS JOIN LATERAL (
     SELECT r.grain, (extract(epoch FROM r.bucket) * 1000)::float8 AS "bucketMs", array_to_string(r.keys, E'\\n') AS keys,
       r.counts::text AS counts FROM rollup AS r
     WHERE r.organization_id = $1 AND r.report = asked.report AND r.grain = segment.grain
       AND r.bucket >= segment.since AND r.bucket < segment.until
       AND ($6::text IS NULL OR r.channel_id = $6) AND r.keys <> '{}' OFFSET 0) AS found`,
);

/** Adds to the counts when the transaction commits: from there on whoever adds to one of the same buckets waits for it. */
export function addToRollup(tx: Transaction, differences: readonly RollupDifference[]): void {
  const sums = summed(differences);
  if (sums.length === 0) return;
  const at = ({ at: moment }: RollupDifference): string => moment.toISOString();
  tx.atCommit(add, unnestColumns(sums, ['organizationId', 'report', at, 'channelId', 'key', 'by']));
}

/** Those of one quarter of an hour and key as one: a batch of events moves few counts many times. */
function summed(differences: readonly RollupDifference[]): RollupDifference[] {
  const sums = new Map<string, { first: RollupDifference; by: number }>();
  for (const first of differences) {
    const { organizationId, report, at, channelId, key, by } = first;
    const name = `${organizationId} ${report} ${Math.floor(at.getTime() / lengthMs(15))} ${channelId} ${key}`;
    const sum = sums.get(name);
    if (sum) sum.by += by;
    else sums.set(name, { first, by });
  }
  return [...sums.values()].flatMap(({ first, by }) => (by === 0 ? [] : [{ ...first, by }]));
}

/** Reads counts. */
@Injectable()
export class RollupRepository {
  constructor(private readonly database: Database) {}

  /** @returns what the points are composed of, of one snapshot */
  async read({ organizationId, reports, bounds, channelId }: RollupQuery): Promise<RollupRow[]> {
    const { segments, usesOf } = composed(bounds);
    const columns = unnestColumns(segments, ['grain', 'from', 'to']);
    const rows = await this.database.query(read, [organizationId, reports, ...columns, channelId]);
    return rows.map(({ grain, bucketMs, ...row }) => ({ ...row, uses: usesOf(grain, bucketMs) }));
  }
}
