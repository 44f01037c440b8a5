import type pg from 'pg';

/** What the figures are made of. */
export interface FillOptions {
  readonly organizationId: string;
  /** Outbound messages of the last 30 days. */
  readonly messages: number;
}

const DAYS = 30;
const TEMPLATES = 20;
/** Classes of DDSketch, each 4 % longer: delivered after 0.3 s to 2 min, read after 2 s to a day. */
const DELAYS = { delivered: { first: -30, last: 120 }, read: { first: 17, last: 284 } };

/**
 * Makes the counts that so many messages would have left, in every grain, as analytics keeps them: stages, five codes of failure,
 * delays over all classes in which they fall, 20 templates, requests to 12 endpoints. Reports read nothing else.
 *
 * @returns how many counts there are
 */
export async function fillFigures(client: pg.Client, { organizationId, messages }: FillOptions): Promise<number> {
  const perQuarter = messages / (DAYS * 96);
  const { delivered, read } = DELAYS;
  await client.query(
    `WITH channel AS (SELECT id FROM messaging.channel WHERE organization_id = $1 ORDER BY id LIMIT 1),
     kind(report, channel, key, count) AS (
       SELECT 'messages', true, key, $2 * part FROM (VALUES ('accepted', 1.0), ('sent', 0.98), ('delivered', 0.95), ('read', 0.6),
         ('failed', 0.02), ('received', 0.1)) AS stage(key, part)
       UNION ALL SELECT 'failures', true, (131020 + n)::text, $2 * 0.004 FROM generate_series(1, 5) AS n
       UNION ALL SELECT 'delivered-after', true, n::text, $2 * 0.95 / ${delivered.last - delivered.first + 1}
         FROM generate_series(${delivered.first}, ${delivered.last}) AS n
       UNION ALL SELECT 'read-after', true, n::text, $2 * 0.6 / ${read.last - read.first + 1}
         FROM generate_series(${read.first}, ${read.last}) AS n
       UNION ALL SELECT 'templates', true, 'c' || lpad(n::text, 24, '0') || ':' || key, $2 * 0.5 * part / ${TEMPLATES}
         FROM generate_series(1, ${TEMPLATES}) AS n,
           (VALUES ('sent', 0.98), ('delivered', 0.95), ('read', 0.6), ('replied', 0.1), ('opted-out', 0.01)) AS use(key, part)
       UNION ALL SELECT 'requests', false, class || ' GET /v1/endpoint' || n, $2 / 12
         FROM generate_series(1, 12) AS n, unnest(ARRAY['2xx', '4xx', '5xx']) AS class)
     INSERT INTO analytics.rollup (organization_id, report, grain, bucket, channel_id, keys, counts)
     SELECT $1, report, grain, bucket, CASE WHEN kind.channel THEN channel.id ELSE '' END, array_agg(key),
       array_agg(ceil(count * grain / 15 * (0.5 + random()))::bigint)
     FROM channel, kind, (VALUES (15), (60), (1440)) AS g(grain),
       generate_series(date_trunc('day', now(), 'UTC') - interval '${DAYS} days', date_trunc('day', now(), 'UTC'),
         make_interval(mins => grain)) AS bucket
     -- A quarter of an hour has too few messages for every class of time.
     WHERE report NOT LIKE '%-after' OR grain > 15 OR random() < least(1, count * 2)
     GROUP BY report, grain, bucket, 5
     -- As time would have written them.
     ORDER BY bucket, report, grain
     ON CONFLICT DO NOTHING`,
    [organizationId, perQuarter],
  );
  await client.query('VACUUM ANALYZE analytics.rollup');
  const { rows } = await client.query<{ counts: number }>(
    'SELECT sum(cardinality(counts))::int AS counts FROM analytics.rollup',
  );
  return rows[0]?.counts ?? 0;
}
