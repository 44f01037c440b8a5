import { catalogPlanner, plannerHints } from '@switchboard/postgres';

/** The function that keeps the months from the last one to three ahead. */
const keepPartitions = (settings: string): string => `
  CREATE OR REPLACE FUNCTION keep_message_partitions() RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT ${settings} AS $$
  DECLARE
    this_month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC');
  BEGIN
    FOR offset_months IN -1..3 LOOP
      PERFORM keep_message_month((this_month + make_interval(months => offset_months)) AT TIME ZONE 'UTC');
    END LOOP;
    ${plannerHints}
  END $$;
  REVOKE ALL ON FUNCTION keep_message_partitions() FROM PUBLIC;
`;

/**
 * - `keep_message_month`: the partitions of a moment's month. Those of upstream ids begin with one that holds all that came before
 *   them; nothing is made in front of it. For the months ahead, and for a recipient of a job that was paused for longer than
 *   messages are kept, whose id is of a month that was removed.
 * - `keep_message_partitions`: the months from the last one to three ahead, and hints for the planner about new ones.
 */
export const messageMonths = `
  CREATE OR REPLACE FUNCTION keep_message_month(moment timestamptz) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DECLARE
    first_day timestamp := date_trunc('month', moment AT TIME ZONE 'UTC');
    month timestamptz := first_day AT TIME ZONE 'UTC';
    next_month timestamptz := (first_day + interval '1 month') AT TIME ZONE 'UTC';
    suffix text := to_char(first_day, 'YYYYMM');
  BEGIN
    IF moment NOT BETWEEN now() - interval '10 years' AND now() + interval '4 months' THEN
      RAISE EXCEPTION 'no month of messages is made for %', moment;
    END IF;
    PERFORM ensure_partition('message', month, next_month, suffix);
    PERFORM ensure_partition('attempt_outcome', month, next_month, suffix);
    IF NOT EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'upstream_message'::regclass AND right(c.relname, 6) > suffix
        AND pg_get_expr(c.relpartbound, c.oid) LIKE '%MINVALUE%')
    THEN
      PERFORM ensure_partition('upstream_message', month, next_month, suffix);
    END IF;
  END $$;
  REVOKE ALL ON FUNCTION keep_message_month(timestamptz) FROM PUBLIC;

  ${keepPartitions('')}
`;

/** Takes `messageMonths` back, but for `keep_message_partitions`, which is older. */
export const messageMonthsReversal = 'DROP FUNCTION keep_message_month(timestamptz);';

/** `keep_message_partitions` with plans of its own for the catalog, so that it takes no longer with each month that is there. */
export const keepPartitionsQuickly = keepPartitions(catalogPlanner);

/** Takes `keepPartitionsQuickly` back. */
export const keepPartitionsQuicklyReversal = keepPartitions('');

/** From which id on every message is kept. What is older and still there came afterwards, or has an open outcome. */
export const messageFloorTable = `
  CREATE TABLE message_floor (
    id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    kept_from text COLLATE "C" NOT NULL
  );
  INSERT INTO message_floor (kept_from) VALUES (cuid_floor('epoch'));
`;

/** Takes `messageFloorTable` back. */
export const messageFloorTableReversal = 'DROP TABLE message_floor;';

/**
 * - `oldest_message_month`: the floor of the ids of the oldest month that is there.
 * - `past_message_partitions`: months whose last moment is so many days ago, the oldest first, messages before what belongs to them.
 * - `drop_message_partition`: false: it stays, because a message in it has an open outcome, or a recipient with an id of it is in a
 *   lane, which keeps its recipients for a week after its job, or an older month stays; what belongs to messages goes after them.
 *   Judged under the lock of `ensure_partition`: whoever needs the month makes it, or finds it, before or after. Waits 250 ms for its
 *   locks.
 *
 * They run as the migrations' role, which refuses to remove what is younger than 35 days: quotas are counted over this month and
 * the last, outcomes settle within days, and repeated callbacks stop after a week.
 */
export const retentionFunctions = `
  CREATE OR REPLACE FUNCTION oldest_message_month() RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT cuid_floor(to_date(min(right(c.relname, 6)), 'YYYYMM')::timestamp AT TIME ZONE 'UTC')
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'message'::regclass
  $$;
  REVOKE ALL ON FUNCTION oldest_message_month() FROM PUBLIC;

  CREATE OR REPLACE FUNCTION past_message_partitions(retention_days integer) RETURNS SETOF text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    CROSS JOIN LATERAL (SELECT to_date(right(c.relname, 6), 'YYYYMM') AS day) AS named
    WHERE i.inhparent IN ('message'::regclass, 'attempt_outcome'::regclass, 'upstream_message'::regclass)
      AND retention_days >= 35
      AND day + interval '1 month' + make_interval(days => retention_days) <= now() AT TIME ZONE 'UTC'
    ORDER BY day, i.inhparent <> 'message'::regclass, c.relname
  $$;
  REVOKE ALL ON FUNCTION past_message_partitions(integer) FROM PUBLIC;

  CREATE OR REPLACE FUNCTION drop_message_partition(name text, retention_days integer) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '250ms' AS $$
  DECLARE
    month timestamp := to_date(right(name, 6), 'YYYYMM');
    floor text := cuid_floor(month AT TIME ZONE 'UTC');
    until text := cuid_floor((month + interval '1 month') AT TIME ZONE 'UTC');
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || '.' || name, 0));
    IF NOT EXISTS (SELECT FROM past_message_partitions(retention_days) AS past WHERE past = name) THEN RETURN false; END IF;
    IF name LIKE 'message\\_%' THEN
      IF oldest_message_month() < floor
        OR EXISTS (SELECT FROM dispatch WHERE message_id < until)
        OR EXISTS (SELECT FROM bulk_lane l JOIN bulk_item i USING (organization_id, job_id)
          WHERE l.job_id < until AND i.message_id < until)
      THEN
        RETURN false;
      END IF;
      UPDATE message_floor SET kept_from = greatest(kept_from, until);
    ELSIF oldest_message_month() <= floor THEN
      RETURN false;
    END IF;
    EXECUTE format('DROP TABLE %I', name);
    RETURN true;
  END $$;
  REVOKE ALL ON FUNCTION drop_message_partition(text, integer) FROM PUBLIC;
`;

/** Takes `retentionFunctions` back. */
export const retentionFunctionsReversal = `
  DROP FUNCTION drop_message_partition(text, integer), past_message_partitions(integer), oldest_message_month();
`;
