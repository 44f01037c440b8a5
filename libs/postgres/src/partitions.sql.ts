/**
 * DDL of the functions that keep a schema's partitions, for its initial migration.
 *
 * - `cuid_floor(timestamptz)`: the smallest cuid of a moment; bounds of partitions by id.
 * - `ensure_partition(parent, from, to, suffix)`: makes one partition without stopping the traffic: a plain table is made
 *   first and then attached, which takes SHARE UPDATE EXCLUSIVE on the parent, not ACCESS EXCLUSIVE.
 *
 * A later migration puts `unsampledPartitions` in the place of `ensure_partition`.
 *
 * They run as their owner, the migrations' role, so that the service's role can call them without any DDL of its own.
 * `FROM CURRENT` is the search path that the runner of migrations sets: the service's schema, then `pg_temp`.
 */
export const partitionFunctions = `
  CREATE OR REPLACE FUNCTION cuid_floor(moment timestamptz) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
  DECLARE
    rest bigint := floor(extract(epoch FROM moment) * 1000);
    digits text := '';
  BEGIN
    FOR place IN 1..8 LOOP
      digits := substr('0123456789abcdefghijklmnopqrstuvwxyz', (rest % 36)::int + 1, 1) || digits;
      rest := rest / 36;
    END LOOP;
    RETURN 'c' || digits;
  END $$;

  CREATE OR REPLACE FUNCTION ensure_partition(parent text, moment_from timestamptz, moment_to timestamptz, suffix text)
  RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DECLARE
    child text := parent || '_' || suffix;
  BEGIN
    -- Two replicas may ask at once: one makes it, the other finds it.
    PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || '.' || child, 0));
    IF to_regclass(quote_ident(child)) IS NOT NULL THEN RETURN false; END IF;
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', child, parent);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      parent, child, cuid_floor(moment_from), cuid_floor(moment_to));
    RETURN true;
  END $$;
  REVOKE ALL ON FUNCTION ensure_partition(text, timestamptz, timestamptz, text) FROM PUBLIC;
`;

/** Takes `partitionFunctions` back. */
export const partitionFunctionsReversal = `
  DROP FUNCTION ensure_partition(text, timestamptz, timestamptz, text), cuid_floor(timestamptz);
`;
