/**
 * The audit log: a chain of entries for each organization.
 *
 * Sequence, time, writer, hash and head are set by `auditTrigger`, which runs as the migrations' role. The service's role
 * may insert entries and read, nothing else, so that it can neither change what is written nor move the head.
 *
 * No reference to `organization`: the log outlives it. No key but the sequence, which the trigger sets: an `INSERT … ON
 * CONFLICT DO NOTHING` would move the head without leaving a row.
 */
export const auditTables = `
  CREATE TABLE audit_head (
    organization_id text COLLATE "C" PRIMARY KEY,
    sequence bigint NOT NULL,
    hash bytea NOT NULL
  ) WITH (fillfactor = 50);

  CREATE TABLE audit_entry (
    organization_id text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    action text COLLATE "C" NOT NULL CHECK (action ~ '^[a-z-]+[.][a-z-]+$'),
    actor_type text NOT NULL CHECK (actor_type IN ('user', 'operator', 'system')),
    actor_id text,
    actor_email text,
    address text,
    trace_id text,
    at timestamptz(3) NOT NULL,
    recorded_by text NOT NULL,
    -- json, not jsonb: kept letter by letter, for that is what is hashed.
    before json,
    after json,
    hash bytea NOT NULL,
    PRIMARY KEY (organization_id, sequence)
  );
  CREATE INDEX audit_entry_action ON audit_entry (organization_id, action, sequence);
`;

/**
 * The hash of an entry, and the trigger's function. The form that is hashed is described, and computed a second time, in
 * identity/audit/audit-chain.policy.ts. The head's row is locked until the end of the transaction: the entries of an
 * organization are written one after the other.
 */
export const auditFunctions = `
  CREATE OR REPLACE FUNCTION audit_hash(previous bytea, fields text[]) RETURNS bytea LANGUAGE sql STABLE
  SET search_path FROM CURRENT AS $$
    SELECT sha256(previous || convert_to(string_agg(
      CASE WHEN field IS NULL THEN '-;' ELSE octet_length(convert_to(field, 'UTF8')) || ':' || field || ';' END,
      '' ORDER BY place), 'UTF8'))
    FROM unnest(fields) WITH ORDINALITY AS f (field, place)
  $$;

  CREATE OR REPLACE FUNCTION chain_audit_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path FROM CURRENT AS $$
  DECLARE
    head audit_head;
  BEGIN
    INSERT INTO audit_head VALUES (NEW.organization_id, 0, decode(repeat('00', 32), 'hex')) ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT head FROM audit_head WHERE organization_id = NEW.organization_id FOR UPDATE;
    NEW.sequence := head.sequence + 1;
    NEW.at := date_trunc('milliseconds', clock_timestamp());
    NEW.recorded_by := session_user;
    NEW.hash := audit_hash(head.hash, ARRAY[
      NEW.organization_id, NEW.sequence::text, NEW.action, NEW.actor_type, NEW.actor_id, NEW.actor_email, NEW.address,
      NEW.trace_id, (extract(epoch FROM NEW.at) * 1000000)::bigint::text, NEW.recorded_by, NEW.before::text,
      NEW.after::text]);
    UPDATE audit_head SET sequence = NEW.sequence, hash = NEW.hash WHERE organization_id = NEW.organization_id;
    RETURN NEW;
  END $$;
`;

/** Gives each entry its place in the chain. */
export const auditTrigger = `
  CREATE TRIGGER chain_audit_entry BEFORE INSERT ON audit_entry
  FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();
`;

/** Takes the audit log back, with its entries. */
export const auditLogReversal = `
  DROP TABLE audit_entry, audit_head;
  DROP FUNCTION chain_audit_entry(), audit_hash(bytea, text[]);
`;
