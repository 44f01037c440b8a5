/**
 * The functions that make the days of events, attempts and dropped deliveries, and name and drop those past retention.
 *
 * - `keep_webhook_partitions(event_days)` only makes them: 3 days ahead, and of the past those that rows may belong to still: a
 *   dropped delivery carries the time of its event, an attempt its own.
 * - `past_webhook_partitions()` names what may go, `drop_past_webhook_partition()` drops one, so that each lock is short and one
 *   that is not to be had is left for the next hour.
 *
 * A day of events that a pending delivery needs does not stay: a delivery is over long before.
 */
export const webhookRetention = `
  CREATE OR REPLACE FUNCTION keep_webhook_partitions(event_days integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DECLARE
    today timestamptz := date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
    needed record;
  BEGIN
    FOR needed IN
      SELECT kind.parent, today + make_interval(days => n) AS day
      FROM (VALUES ('event', event_days), ('dropped_delivery', event_days), ('attempt', 1)) AS kind (parent, past_days)
      CROSS JOIN LATERAL generate_series(-kind.past_days, 3) AS n
    LOOP
      PERFORM ensure_partition(needed.parent, needed.day, needed.day + interval '1 day',
        to_char(needed.day AT TIME ZONE 'UTC', 'YYYYMMDD'));
    END LOOP;
  END $$;
  REVOKE ALL ON FUNCTION keep_webhook_partitions(integer) FROM PUBLIC;

  CREATE OR REPLACE FUNCTION past_webhook_partitions(event_days integer, attempt_days integer) RETURNS SETOF text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT c.relname::text FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid
    JOIN pg_class p ON p.oid = i.inhparent AND p.relname IN ('event', 'attempt', 'dropped_delivery')
    CROSS JOIN LATERAL (SELECT to_date(substring(c.relname FROM '_([0-9]{8})$'), 'YYYYMMDD') AS day) AS named
    WHERE p.relnamespace = current_schema()::regnamespace
      AND day < (now() AT TIME ZONE 'UTC')::date - CASE p.relname WHEN 'event' THEN event_days ELSE attempt_days END
    ORDER BY day, c.relname
  $$;
  REVOKE ALL ON FUNCTION past_webhook_partitions(integer, integer) FROM PUBLIC;

  CREATE OR REPLACE FUNCTION drop_past_webhook_partition(name text, event_days integer, attempt_days integer)
  RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '250ms' AS $$
  BEGIN
    IF NOT EXISTS (SELECT FROM past_webhook_partitions(event_days, attempt_days) AS past WHERE past = name) THEN
      RETURN false;
    END IF;
    EXECUTE format('DROP TABLE %I', name);
    RETURN true;
  END $$;
  REVOKE ALL ON FUNCTION drop_past_webhook_partition(text, integer, integer) FROM PUBLIC;

  SELECT keep_webhook_partitions(8);
`;

/** Takes `webhookRetention` back. */
export const webhookRetentionReversal = `
  DROP FUNCTION drop_past_webhook_partition(text, integer, integer), past_webhook_partitions(integer, integer),
    keep_webhook_partitions(integer);
`;
