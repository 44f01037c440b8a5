/**
 * DDL of outbox, inbox and dead letters, for a service's first migration (after `partitionFunctions`).
 *
 * - `outbox`: an event per row, in the transaction of what it tells. `position` grows within an aggregate, because it is
 *   drawn under the aggregate's lock. Partitioned by day of its id; unpublished rows are found by a partial index.
 * - `inbox`: what a consumer has applied, in the transaction of its effect; kept at least as long as any outbox.
 * - `dead_letter`: events that a consumer could not apply, with the last error; neighbours went on.
 * - `keep_outbox_partitions()`: makes the days ahead and drops those past retention; `replayTables` replaces it.
 */
export function outboxTables(schema: string): string {
  return `
    CREATE SEQUENCE ${schema}.outbox_position;
    CREATE TABLE ${schema}.outbox (
      id text COLLATE "C" NOT NULL,
      position bigint NOT NULL DEFAULT nextval('${schema}.outbox_position'),
      aggregate_id text NOT NULL,
      subject text NOT NULL,
      payload text NOT NULL,
      traceparent text,
      published_at timestamptz,
      PRIMARY KEY (id)
    ) PARTITION BY RANGE (id);
    CREATE INDEX outbox_unpublished ON ${schema}.outbox (position) WHERE published_at IS NULL;

    CREATE TABLE ${schema}.inbox (
      event_id text COLLATE "C" NOT NULL,
      consumer text NOT NULL,
      PRIMARY KEY (event_id, consumer)
    ) PARTITION BY RANGE (event_id);

    CREATE TABLE ${schema}.dead_letter (
      event_id text COLLATE "C" NOT NULL,
      consumer text NOT NULL,
      subject text NOT NULL,
      envelope text NOT NULL,
      error text NOT NULL,
      deliveries integer NOT NULL,
      died_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (event_id, consumer)
    );

    ${keepAndDropFunction(schema)}
    SELECT ${schema}.keep_outbox_partitions(8);
  `;
}

/** The first form of `keep_outbox_partitions`: makes and drops in one transaction. What a reversal brings back. */
export function keepAndDropFunction(schema: string): string {
  return `
    CREATE OR REPLACE FUNCTION ${schema}.keep_outbox_partitions(retention_days integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${schema}, pg_temp AS $$
    DECLARE
      today timestamptz := date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
      day timestamptz;
      old record;
    BEGIN
      -- Streams replay seven days to a consumer that is new.
      FOR offset_days IN -8..7 LOOP
        day := today + make_interval(days => offset_days);
        PERFORM ${schema}.ensure_partition('outbox', day, day + interval '1 day', to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD'));
        PERFORM ${schema}.ensure_partition('inbox', day, day + interval '1 day', to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD'));
      END LOOP;
      FOR old IN
        SELECT c.relname, p.relname AS parent FROM pg_inherits i
        JOIN pg_class c ON c.oid = i.inhrelid
        JOIN pg_class p ON p.oid = i.inhparent AND p.relname IN ('outbox', 'inbox')
        WHERE p.relnamespace = '${schema}'::regnamespace AND right(c.relname, 8) ~ '^[0-9]{8}$'
          AND to_date(right(c.relname, 8), 'YYYYMMDD') < (today - make_interval(days => retention_days))::date
      LOOP
        -- A day that still holds an unpublished event stays until it is out.
        IF old.parent = 'outbox' THEN
          DECLARE pending boolean;
          BEGIN
            EXECUTE format('SELECT EXISTS (SELECT FROM ${schema}.%I WHERE published_at IS NULL)', old.relname) INTO pending;
            CONTINUE WHEN pending;
          END;
        END IF;
        EXECUTE format('DROP TABLE ${schema}.%I', old.relname);
      END LOOP;
    END $$;
    REVOKE ALL ON FUNCTION ${schema}.keep_outbox_partitions(integer) FROM PUBLIC;
  `;
}
