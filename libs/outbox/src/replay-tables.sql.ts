import { keepAndDropFunction } from './tables.sql.js';

/**
 * DDL of what replay, redrive and pruning need, for a service's migration after `outboxTables`.
 *
 * - `relay_state`: which stream the relay has published to, and how far; a stream that is younger, or shorter, was lost.
 *   `epoch` grows with every loss and fences off a relay that has not noticed it. `replay_from`: the id after which
 *   published events are still to be made pending again; null when nothing is.
 * - `outbox.published_at` is `-infinity` for an event that can never be published: it is a dead letter of `relay`.
 * - `dead_letter.redrive_requested_at`: an operator wants it tried again.
 * - `keep_outbox_partitions()` only makes partitions: the days ahead, and the days of dead letters, which need an inbox
 *   when they are driven again. `past_partitions()` names what may go and `drop_past_partition()` drops one, so that each
 *   lock is short and one that is not to be had costs one partition's hour, nothing else.
 * - The inbox is kept two days longer than the outbox: what is replayed on the outbox's last day is still known to it.
 *
 * Lock: ACCESS EXCLUSIVE on `dead_letter` for a column without a default.
 */
export function replayTables(schema: string): string {
  return `
    CREATE TABLE ${schema}.relay_state (
      stream text COLLATE "C" PRIMARY KEY,
      -- The broker's own word for when the stream was made, compared and never read.
      created text NOT NULL,
      last_sequence bigint NOT NULL,
      epoch integer NOT NULL DEFAULT 1,
      replay_from text COLLATE "C"
    ) WITH (fillfactor = 50);

    ALTER TABLE ${schema}.dead_letter ADD COLUMN redrive_requested_at timestamptz;
    CREATE INDEX dead_letter_redrive ON ${schema}.dead_letter (consumer, event_id) WHERE redrive_requested_at IS NOT NULL;

    ${cuidDayFunction(schema)}
    ${keepFunction(schema)}
    ${pastFunctions(schema)}
    SELECT ${schema}.keep_outbox_partitions(8);
  `;
}

/** Takes `replayTables` back. */
export function replayTablesReversal(schema: string): string {
  return `
    DROP FUNCTION ${schema}.drop_past_partition(text, integer), ${schema}.past_partitions(integer);
    ${keepAndDropFunction(schema)}
    DROP FUNCTION ${schema}.cuid_day(text);
    ALTER TABLE ${schema}.dead_letter DROP COLUMN redrive_requested_at;
    DROP TABLE ${schema}.relay_state;
  `;
}

function cuidDayFunction(schema: string): string {
  return `
    -- The day (UTC) of a cuid; null for any other text.
    CREATE FUNCTION ${schema}.cuid_day(cuid text) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS $$
    DECLARE
      millis bigint := 0;
    BEGIN
      IF cuid !~ '^c[0-9a-z]{8}' THEN RETURN NULL; END IF;
      FOR place IN 2..9 LOOP
        millis := millis * 36 + strpos('0123456789abcdefghijklmnopqrstuvwxyz', substr(cuid, place, 1)) - 1;
      END LOOP;
      RETURN to_timestamp(millis / 86400000 * 86400);
    END $$;
    REVOKE ALL ON FUNCTION ${schema}.cuid_day(text) FROM PUBLIC;
  `;
}

function keepFunction(schema: string): string {
  return `
    CREATE OR REPLACE FUNCTION ${schema}.keep_outbox_partitions(retention_days integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${schema}, pg_temp AS $$
    DECLARE
      today timestamptz := date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
      needed record;
    BEGIN
      FOR needed IN
        SELECT 'outbox' AS parent, today + make_interval(days => n) AS day FROM generate_series(-retention_days, 7) AS n
        UNION SELECT 'inbox', today + make_interval(days => n) FROM generate_series(-retention_days - 2, 7) AS n
        UNION SELECT 'inbox', ${schema}.cuid_day(event_id) FROM ${schema}.dead_letter WHERE consumer <> 'relay'
      LOOP
        CONTINUE WHEN needed.day IS NULL;
        PERFORM ${schema}.ensure_partition(needed.parent, needed.day, needed.day + interval '1 day',
          to_char(needed.day AT TIME ZONE 'UTC', 'YYYYMMDD'));
      END LOOP;
    END $$;
    REVOKE ALL ON FUNCTION ${schema}.keep_outbox_partitions(integer) FROM PUBLIC;
  `;
}

function pastFunctions(schema: string): string {
  return `
    -- Days past retention, oldest first, but those that a dead letter still needs.
    CREATE FUNCTION ${schema}.past_partitions(retention_days integer) RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ${schema}, pg_temp AS $$
      SELECT c.relname::text FROM pg_inherits i
      JOIN pg_class c ON c.oid = i.inhrelid
      JOIN pg_class p ON p.oid = i.inhparent AND p.relname IN ('outbox', 'inbox')
      CROSS JOIN LATERAL (SELECT to_date(substring(c.relname FROM '_([0-9]{8})$'), 'YYYYMMDD') AS day) AS named
      WHERE p.relnamespace = '${schema}'::regnamespace
        AND day < (now() AT TIME ZONE 'UTC')::date - retention_days - CASE p.relname WHEN 'inbox' THEN 2 ELSE 0 END
        AND NOT EXISTS (
          SELECT FROM ${schema}.dead_letter
          WHERE (consumer = 'relay') = (p.relname = 'outbox')
            AND event_id >= ${schema}.cuid_floor(day::timestamp AT TIME ZONE 'UTC')
            AND event_id < ${schema}.cuid_floor((day + 1)::timestamp AT TIME ZONE 'UTC'))
      ORDER BY day, c.relname
    $$;
    REVOKE ALL ON FUNCTION ${schema}.past_partitions(integer) FROM PUBLIC;

    -- False: it holds an event that is not published yet, and stays.
    CREATE FUNCTION ${schema}.drop_past_partition(name text, retention_days integer) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${schema}, pg_temp SET lock_timeout = '250ms' AS $$
    DECLARE
      pending boolean := false;
    BEGIN
      IF NOT EXISTS (SELECT FROM ${schema}.past_partitions(retention_days) AS past WHERE past = name) THEN RETURN false; END IF;
      IF name LIKE 'outbox%' THEN
        EXECUTE format('SELECT EXISTS (SELECT FROM ${schema}.%I WHERE published_at IS NULL)', name) INTO pending;
        IF pending THEN RETURN false; END IF;
        -- Looked at again under the lock: a replay may have made its events pending meanwhile.
        EXECUTE format('LOCK TABLE ONLY ${schema}.outbox, ONLY ${schema}.%I IN ACCESS EXCLUSIVE MODE', name);
        EXECUTE format('SELECT EXISTS (SELECT FROM ${schema}.%I WHERE published_at IS NULL)', name) INTO pending;
        IF pending THEN RETURN false; END IF;
      END IF;
      EXECUTE format('DROP TABLE ${schema}.%I', name);
      RETURN true;
    END $$;
    REVOKE ALL ON FUNCTION ${schema}.drop_past_partition(text, integer) FROM PUBLIC;
  `;
}
