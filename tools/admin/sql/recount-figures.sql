-- Counts the figures of an organization from its messages, from $2 to $3 (timestamptz, whole UTC days), and shows every count
-- that analytics keeps otherwise: bucket, channel, key, what is counted here, what is kept there.
--
-- It shares nothing with the code that counts: it reads messaging's messages. Opt-outs alone are analytics' own record, since
-- contacts forgets those that were removed.
WITH quarter AS (
  SELECT start, messaging.cuid_floor(start) AS first_id, messaging.cuid_floor(start + interval '15 minutes') AS end_id
  FROM generate_series($2::timestamptz, $3::timestamptz - interval '1 second', interval '15 minutes') AS start
),
-- A message as callers see it: milliseconds; read implies delivered; no stage before the former.
shown AS (
  SELECT q.start, m.id, m.channel_id, m.conversation_id, m.direction, m.template ->> 'id' AS template_id, m.status,
    coalesce(m.error_code, 'UNKNOWN') AS error_code, sent.at AS sent_at,
    CASE WHEN delivered.at IS NOT NULL THEN greatest(delivered.at, sent.at) END AS delivered_at,
    CASE WHEN m.read_at IS NOT NULL
      THEN greatest(date_trunc('milliseconds', m.read_at), delivered.at, sent.at) END AS read_at
  FROM quarter AS q
  JOIN messaging.message AS m ON m.organization_id = $1 AND m.id >= q.first_id AND m.id < q.end_id,
  LATERAL (SELECT date_trunc('milliseconds', m.sent_at) AS at) AS sent,
  LATERAL (SELECT date_trunc('milliseconds', coalesce(m.delivered_at, m.read_at)) AS at) AS delivered
),
outbound AS (SELECT * FROM shown WHERE direction = 'OUTBOUND'),
-- A template is credited from its sending to the next one in the conversation, 72 hours at most.
sent_template AS (
  SELECT o.start, o.id, o.channel_id, o.conversation_id, o.template_id, o.sent_at,
    least(o.sent_at + interval '72 hours', (
      SELECT min(date_trunc('milliseconds', n.sent_at)) FROM messaging.message AS n
      WHERE n.organization_id || ' ' || n.conversation_id = $1 || ' ' || o.conversation_id AND n.conversation_id > ''
        AND n.template IS NOT NULL AND n.sent_at IS NOT NULL
        AND (date_trunc('milliseconds', n.sent_at), n.id) > (o.sent_at, o.id))) AS until,
    (SELECT c.contact_id FROM messaging.conversation AS c WHERE c.organization_id = $1 AND c.id = o.conversation_id)
      AS contact_id
  FROM outbound AS o WHERE o.template_id IS NOT NULL AND o.sent_at IS NOT NULL
),
one AS (
  SELECT start, channel_id, 'messages' AS report, 'received' AS key FROM shown WHERE direction = 'INBOUND'
  UNION ALL SELECT start, channel_id, 'messages', 'accepted' FROM outbound
  UNION ALL SELECT start, channel_id, 'messages', 'sent' FROM outbound
    WHERE sent_at IS NOT NULL OR status IN ('SENT', 'DELIVERED', 'READ')
  UNION ALL SELECT start, channel_id, 'messages', 'delivered' FROM outbound WHERE status IN ('DELIVERED', 'READ')
  UNION ALL SELECT start, channel_id, 'messages', 'read' FROM outbound WHERE status = 'READ'
  UNION ALL SELECT start, channel_id, 'messages', 'failed' FROM outbound WHERE status = 'FAILED'
  UNION ALL SELECT start, channel_id, 'failures', error_code FROM outbound WHERE status = 'FAILED'
  -- Classes of times, each 1.02 / 0.98 as long as the former.
  UNION ALL SELECT o.start, o.channel_id, t.report,
      ceil(ln(greatest(extract(epoch FROM t.at - o.sent_at)::float8, 0.001)) / ln(1.02::float8 / 0.98::float8))::int::text
    FROM outbound AS o, LATERAL (VALUES ('delivered-after', o.delivered_at), ('read-after', o.read_at)) AS t(report, at)
    WHERE o.sent_at IS NOT NULL AND t.at IS NOT NULL
  UNION ALL SELECT start, channel_id, 'templates', template_id || ':sent' FROM outbound
    WHERE template_id IS NOT NULL AND (sent_at IS NOT NULL OR status IN ('SENT', 'DELIVERED', 'READ'))
  UNION ALL SELECT start, channel_id, 'templates', template_id || ':delivered' FROM outbound
    WHERE template_id IS NOT NULL AND status IN ('DELIVERED', 'READ')
  UNION ALL SELECT start, channel_id, 'templates', template_id || ':read' FROM outbound
    WHERE template_id IS NOT NULL AND status = 'READ'
  UNION ALL SELECT s.start, s.channel_id, 'templates', s.template_id || ':replied' FROM sent_template AS s
    WHERE EXISTS (SELECT FROM messaging.message AS r
      WHERE r.organization_id || ' ' || r.conversation_id = $1 || ' ' || s.conversation_id AND r.conversation_id > ''
        AND r.direction = 'INBOUND' AND r.id >= messaging.cuid_floor(s.sent_at) AND r.id < messaging.cuid_floor(s.until))
  UNION ALL SELECT s.start, s.channel_id, 'templates', s.template_id || ':opted-out' FROM sent_template AS s
    WHERE EXISTS (SELECT FROM analytics.opt_out_fact AS o WHERE o.organization_id = $1 AND o.channel_id = s.channel_id
      AND o.contact_id = s.contact_id AND o.created_at >= s.sent_at AND o.created_at < s.until)
),
counted AS (
  SELECT g.grain, date_bin(make_interval(mins => g.grain), one.start, 'epoch') AS bucket, report, channel_id, key,
    count(*) AS count
  FROM one CROSS JOIN (VALUES (15), (60), (1440)) AS g(grain) GROUP BY 1, 2, 3, 4, 5
),
kept AS (
  SELECT grain::int, bucket, report, channel_id, one.key, one.count
  FROM analytics.rollup CROSS JOIN LATERAL unnest(keys, counts) AS one(key, count)
  WHERE organization_id = $1 AND bucket >= $2 AND bucket < $3
    AND report IN ('messages', 'failures', 'delivered-after', 'read-after', 'templates')
)
SELECT bucket, grain AS minutes, report, channel_id AS channel, key, coalesce(counted.count, 0)::float8 AS counted,
  coalesce(kept.count, 0)::float8 AS kept
FROM counted FULL JOIN kept USING (grain, bucket, report, channel_id, key)
WHERE coalesce(counted.count, 0) <> coalesce(kept.count, 0)
ORDER BY bucket, minutes, report, channel, key
