/** Of the initial migration: an event is marked in its own row. */
const IS_UNMARKED = 'SELECT EXISTS (SELECT FROM %I WHERE published_at IS NULL)';
/** Since `pendingTable`: events by the range of ids of the day. */
const DAY = "to_date(right(%1$L, 8), ''YYYYMMDD'')";
const floorOf = (day: string): string => `cuid_floor((${day})::timestamp AT TIME ZONE ''UTC'')`;
const IS_PENDING = `SELECT EXISTS (SELECT FROM outbox_pending WHERE id >= ${floorOf(DAY)} AND id < ${floorOf(`${DAY} + 1`)})`;

/**
 * `drop_past_partition`: false: the day holds an event that is not published yet, and stays.
 *
 * @param isPending SQL that asks whether it does; `format` puts the name of the day in
 */
const dropPastPartition = (isPending: string): string => `
  CREATE OR REPLACE FUNCTION drop_past_partition(name text, retention_days integer) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '250ms' AS $$
  DECLARE
    pending boolean := false;
  BEGIN
    IF NOT EXISTS (SELECT FROM past_partitions(retention_days) AS past WHERE past = name) THEN RETURN false; END IF;
    IF name LIKE 'outbox%' THEN
      EXECUTE format('${isPending}', name) INTO pending;
      IF pending THEN RETURN false; END IF;
      -- Looked at again under the lock: a replay may have made its events pending meanwhile.
      EXECUTE format('LOCK TABLE ONLY outbox, ONLY %I IN ACCESS EXCLUSIVE MODE', name);
      EXECUTE format('${isPending}', name) INTO pending;
      IF pending THEN RETURN false; END IF;
    END IF;
    EXECUTE format('DROP TABLE %I', name);
    RETURN true;
  END $$;
  REVOKE ALL ON FUNCTION drop_past_partition(text, integer) FROM PUBLIC;
`;

/**
 * DDL of the functions that make the days of outbox and inbox and name those that may go; part of `outboxTables`.
 *
 * - `keep_outbox_partitions()` only makes partitions. `past_partitions()` names what may go and `drop_past_partition()`
 *   drops one, so that each lock is short and one that is not to be had costs one partition's hour, nothing else.
 * - A dead letter keeps no day: it holds its own copy of the event, and is driven again without the day's rows.
 */
export const retentionFunctions = `
  CREATE OR REPLACE FUNCTION keep_outbox_partitions(retention_days integer) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DECLARE
    today timestamptz := date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
    needed record;
  BEGIN
    FOR needed IN
      SELECT 'outbox' AS parent, today + make_interval(days => n) AS day FROM generate_series(-retention_days, 7) AS n
      UNION SELECT 'inbox', today + make_interval(days => n) FROM generate_series(-retention_days - 2, 7) AS n
    LOOP
      PERFORM ensure_partition(needed.parent, needed.day, needed.day + interval '1 day',
        to_char(needed.day AT TIME ZONE 'UTC', 'YYYYMMDD'));
    END LOOP;
  END $$;
  REVOKE ALL ON FUNCTION keep_outbox_partitions(integer) FROM PUBLIC;

  -- Days past retention, oldest first.
  CREATE OR REPLACE FUNCTION past_partitions(retention_days integer) RETURNS SETOF text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT c.relname::text FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid
    JOIN pg_class p ON p.oid = i.inhparent AND p.relname IN ('outbox', 'inbox')
    CROSS JOIN LATERAL (SELECT to_date(substring(c.relname FROM '_([0-9]{8})$'), 'YYYYMMDD') AS day) AS named
    WHERE p.relnamespace = current_schema()::regnamespace
      AND day < (now() AT TIME ZONE 'UTC')::date - retention_days - CASE p.relname WHEN 'inbox' THEN 2 ELSE 0 END
    ORDER BY day, c.relname
  $$;
  REVOKE ALL ON FUNCTION past_partitions(integer) FROM PUBLIC;

  ${dropPastPartition(IS_UNMARKED)}
`;

/** Takes `retentionFunctions` back. */
export const retentionFunctionsReversal = `
  DROP FUNCTION drop_past_partition(text, integer), past_partitions(integer), keep_outbox_partitions(integer);
`;

/** `drop_past_partition` as it is since `pendingTable`. */
export const dropOutboxDay = dropPastPartition(IS_PENDING);
/** Takes `dropOutboxDay` back. */
export const dropOutboxDayReversal = dropPastPartition(IS_UNMARKED);
