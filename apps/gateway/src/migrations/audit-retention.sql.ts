/** Where the chain of an organization begins whose oldest entries were removed: the last of these, and its hash. */
export const auditFloorTable = `
  CREATE TABLE IF NOT EXISTS audit_floor (
    organization_id text COLLATE "C" PRIMARY KEY,
    sequence bigint NOT NULL,
    hash bytea NOT NULL
  ) WITH (fillfactor = 50);
`;

/**
 * Removes entries older than so many days, about so many at most, the oldest first, and returns their number.
 *
 * It runs as the migrations' role: the service's role can remove nothing that is younger than 90 days, and nothing but the
 * beginning of a chain. The order of a chain counts, not its times: what comes before an old entry is as old, whatever the clock
 * said then. One call at a time; another one, of a second replica, returns 0.
 */
export const pruneAuditFunction = `
  CREATE OR REPLACE FUNCTION prune_audit(days integer, slice integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
  SET search_path FROM CURRENT AS $$
  DECLARE
    pruned integer;
  BEGIN
    IF days IS NULL OR days < 90 THEN
      RAISE EXCEPTION 'entries of the audit log are kept for 90 days at least';
    END IF;
    IF NOT pg_try_advisory_xact_lock('audit_floor'::regclass::oid::bigint) THEN
      RETURN 0;
    END IF;
    WITH old AS (
      SELECT organization_id, sequence FROM audit_entry WHERE at < now() - make_interval(days => days)
      ORDER BY at, sequence LIMIT slice
    ), ends AS (
      SELECT organization_id, max(sequence) AS sequence FROM old GROUP BY organization_id
    ), floors AS (
      INSERT INTO audit_floor (organization_id, sequence, hash)
      SELECT organization_id, sequence, hash FROM ends JOIN audit_entry USING (organization_id, sequence)
      ON CONFLICT (organization_id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash
    ), gone AS (
      DELETE FROM audit_entry e USING ends
      WHERE e.organization_id = ends.organization_id AND e.sequence <= ends.sequence RETURNING 1
    )
    SELECT count(*) INTO pruned FROM gone;
    RETURN pruned;
  END $$;
`;
