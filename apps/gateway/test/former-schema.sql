-- The schema gateway as its migrations before the baseline made it: their SQL, in the order in which they ran.
-- Run as the owner of the schema, with the schema as search path and an empty table `migration`.

-- Initial1763700000000
CREATE FUNCTION gateway.cuid_floor(moment timestamptz) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
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
CREATE FUNCTION gateway.ensure_partition(parent text, moment_from timestamptz, moment_to timestamptz, suffix text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = gateway, pg_temp AS $$
DECLARE
  child text := parent || '_' || suffix;
BEGIN
  -- Two replicas may ask at once: one makes it, the other finds it.
  PERFORM pg_advisory_xact_lock(hashtextextended('gateway.' || child, 0));
  IF to_regclass(format('gateway.%I', child)) IS NOT NULL THEN RETURN false; END IF;
  EXECUTE format('CREATE TABLE gateway.%I (LIKE gateway.%I INCLUDING ALL)', child, parent);
  EXECUTE format('ALTER TABLE gateway.%I ATTACH PARTITION gateway.%I FOR VALUES FROM (%L) TO (%L)',
    parent, child, gateway.cuid_floor(moment_from), gateway.cuid_floor(moment_to));
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION gateway.ensure_partition(text, timestamptz, timestamptz, text) FROM PUBLIC;
CREATE SEQUENCE gateway.outbox_position;
CREATE TABLE gateway.outbox (
  id text COLLATE "C" NOT NULL,
  position bigint NOT NULL DEFAULT nextval('gateway.outbox_position'),
  aggregate_id text NOT NULL,
  subject text NOT NULL,
  payload text NOT NULL,
  traceparent text,
  published_at timestamptz,
  PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX outbox_unpublished ON gateway.outbox (position) WHERE published_at IS NULL;
CREATE TABLE gateway.inbox (
  event_id text COLLATE "C" NOT NULL,
  consumer text NOT NULL,
  PRIMARY KEY (event_id, consumer)
) PARTITION BY RANGE (event_id);
CREATE TABLE gateway.dead_letter (
  event_id text COLLATE "C" NOT NULL,
  consumer text NOT NULL,
  subject text NOT NULL,
  envelope text NOT NULL,
  error text NOT NULL,
  deliveries integer NOT NULL,
  died_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (event_id, consumer)
);
CREATE OR REPLACE FUNCTION gateway.keep_outbox_partitions(retention_days integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gateway, pg_temp AS $$
DECLARE
  today timestamptz := date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
  day timestamptz;
  old record;
BEGIN
  -- Streams replay seven days to a consumer that is new.
  FOR offset_days IN -8..7 LOOP
    day := today + make_interval(days => offset_days);
    PERFORM gateway.ensure_partition('outbox', day, day + interval '1 day', to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD'));
    PERFORM gateway.ensure_partition('inbox', day, day + interval '1 day', to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD'));
  END LOOP;
  FOR old IN
    SELECT c.relname, p.relname AS parent FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid
    JOIN pg_class p ON p.oid = i.inhparent AND p.relname IN ('outbox', 'inbox')
    WHERE p.relnamespace = 'gateway'::regnamespace AND right(c.relname, 8) ~ '^[0-9]{8}$'
      AND to_date(right(c.relname, 8), 'YYYYMMDD') < (today - make_interval(days => retention_days))::date
  LOOP
    -- A day that still holds an unpublished event stays until it is out.
    IF old.parent = 'outbox' THEN
      DECLARE pending boolean;
      BEGIN
        EXECUTE format('SELECT EXISTS (SELECT FROM gateway.%I WHERE published_at IS NULL)', old.relname) INTO pending;
        CONTINUE WHEN pending;
      END;
    END IF;
    EXECUTE format('DROP TABLE gateway.%I', old.relname);
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION gateway.keep_outbox_partitions(integer) FROM PUBLIC;
SELECT gateway.keep_outbox_partitions(8);
CREATE TABLE plan (
  name text COLLATE "C" PRIMARY KEY,
  requests_per_minute integer NOT NULL CHECK (requests_per_minute > 0),
  request_burst integer NOT NULL CHECK (request_burst > 0),
  messages_per_month bigint NOT NULL CHECK (messages_per_month >= 0),
  -- Scopes that the plan does not include: 402 for a key of any kind.
  excluded_scopes text[] NOT NULL,
  channels_max integer NOT NULL,
  seats_max integer NOT NULL
);
INSERT INTO plan VALUES
  ('TRIAL', 60, 60, 1000, '{templates:send,analytics:read}', 1, 2),
  ('STARTER', 300, 300, 10000, '{templates:send}', 2, 5),
  ('GROWTH', 6000, 1000, 500000, '{}', 10, 25),
  ('SCALE', 120000, 5000, 50000000, '{}', 100, 500);
CREATE TABLE organization (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  plan text COLLATE "C" NOT NULL REFERENCES plan,
  subscription_status text NOT NULL DEFAULT 'ACTIVE'
    CHECK (subscription_status IN ('ACTIVE', 'PAST_DUE', 'CANCELED')),
  -- An operator's exceptions for this organization; null: the plan's number.
  requests_per_minute integer CHECK (requests_per_minute > 0),
  request_burst integer CHECK (request_burst > 0),
  messages_per_month bigint CHECK (messages_per_month >= 0),
  channels_max integer CHECK (channels_max >= 0),
  seats_max integer CHECK (seats_max >= 0),
  created_at timestamptz NOT NULL DEFAULT now()
);
-- last_used_at changes all the time and is in no index: with room on the page such an update touches the row alone.
CREATE TABLE api_key (
  id text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL REFERENCES organization,
  label text NOT NULL,
  prefix text NOT NULL,
  secret_hash bytea NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
  -- Null: all scopes.
  scopes text[],
  created_by text,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  last_used_address inet,
  revoked_at timestamptz
) WITH (fillfactor = 70);
CREATE INDEX api_key_of_organization ON api_key (organization_id, id);
CREATE UNLOGGED TABLE rate_limit (
  organization_id text COLLATE "C" PRIMARY KEY,
  -- GCRA's theoretical arrival time, microseconds since the Unix epoch.
  theoretical_arrival bigint NOT NULL,
  -- The last batch: when it came, what it asked, under which rate, and how many of its requests passed. The upsert
  -- reads the question from here and leaves the answer here, so that one statement knows both.
  clock bigint NOT NULL,
  asked integer NOT NULL,
  interval bigint NOT NULL,
  burst integer NOT NULL,
  granted integer NOT NULL
) WITH (fillfactor = 50);

-- People1764000001000
CREATE TABLE user_account (
  id text COLLATE "C" PRIMARY KEY,
  -- In small letters: one person, however the address is typed.
  email text COLLATE "C" NOT NULL UNIQUE,
  name text NOT NULL,
  -- In PHC form, with its parameters.
  password_hash text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- Has an id of its own: a person may be in two organizations, and an id of one means nothing in the other.
CREATE TABLE membership (
  id text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL REFERENCES organization,
  user_id text COLLATE "C" NOT NULL REFERENCES user_account,
  role text COLLATE "C" NOT NULL CHECK (role IN ('OWNER', 'ADMIN', 'MEMBER')),
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (organization_id, user_id)
);
CREATE INDEX membership_of_user ON membership (user_id, id);
CREATE TABLE session (
  id text COLLATE "C" PRIMARY KEY,
  secret_hash bytea NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
  user_id text COLLATE "C" NOT NULL REFERENCES user_account,
  organization_id text COLLATE "C" NOT NULL REFERENCES organization,
  -- When the password was given; a rotated session keeps it, so that rotation prolongs nothing.
  signed_in_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX session_of_user ON session (user_id, id);
CREATE INDEX session_age ON session (signed_in_at);
CREATE TABLE invite (
  id text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL REFERENCES organization,
  email text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL CHECK (role IN ('OWNER', 'ADMIN', 'MEMBER')),
  secret_hash bytea NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  UNIQUE (organization_id, email)
);
CREATE INDEX invite_age ON invite (expires_at);
CREATE UNLOGGED TABLE password_guess (
  -- SHA-256 of an account's address or of a network address: neither lies here in clear.
  subject bytea PRIMARY KEY,
  guesses integer NOT NULL,
  last_at timestamptz NOT NULL,
  next_at timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX password_guess_age ON password_guess (last_at);

-- AuditLog1764000002000
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
CREATE FUNCTION audit_hash(previous bytea, fields text[]) RETURNS bytea LANGUAGE sql STABLE
SET search_path = gateway, pg_temp AS $$
  SELECT sha256(previous || convert_to(string_agg(
    CASE WHEN field IS NULL THEN '-;' ELSE octet_length(convert_to(field, 'UTF8')) || ':' || field || ';' END,
    '' ORDER BY place), 'UTF8'))
  FROM unnest(fields) WITH ORDINALITY AS f (field, place)
$$;
CREATE FUNCTION chain_audit_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gateway, pg_temp AS $$
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
CREATE TRIGGER chain_audit_entry BEFORE INSERT ON audit_entry
FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();

-- ApiKeyCreator1764000002001
ALTER TABLE api_key ADD COLUMN created_by_email text;

-- AuditBeginnings1764000008000
INSERT INTO audit_entry (organization_id, action, actor_type, after)
SELECT id, 'organization.created', 'system', json_build_object('name', name, 'plan', plan,
  'createdAt', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
FROM organization o
WHERE NOT EXISTS (SELECT FROM audit_head h WHERE h.organization_id = o.id)
  AND NOT EXISTS (SELECT FROM audit_entry e WHERE e.organization_id = o.id)
ORDER BY o.id;

-- Replay1764100000000
CREATE TABLE gateway.relay_state (
  stream text COLLATE "C" PRIMARY KEY,
  -- The broker's own word for when the stream was made, compared and never read.
  created text NOT NULL,
  last_sequence bigint NOT NULL,
  epoch integer NOT NULL DEFAULT 1,
  replay_from text COLLATE "C"
) WITH (fillfactor = 50);
ALTER TABLE gateway.dead_letter ADD COLUMN redrive_requested_at timestamptz;
CREATE INDEX dead_letter_redrive ON gateway.dead_letter (consumer, event_id) WHERE redrive_requested_at IS NOT NULL;
-- The day (UTC) of a cuid; null for any other text.
CREATE FUNCTION gateway.cuid_day(cuid text) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  millis bigint := 0;
BEGIN
  IF cuid !~ '^c[0-9a-z]{8}' THEN RETURN NULL; END IF;
  FOR place IN 2..9 LOOP
    millis := millis * 36 + strpos('0123456789abcdefghijklmnopqrstuvwxyz', substr(cuid, place, 1)) - 1;
  END LOOP;
  RETURN to_timestamp(millis / 86400000 * 86400);
END $$;
REVOKE ALL ON FUNCTION gateway.cuid_day(text) FROM PUBLIC;
CREATE OR REPLACE FUNCTION gateway.keep_outbox_partitions(retention_days integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gateway, pg_temp AS $$
DECLARE
  today timestamptz := date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
  needed record;
BEGIN
  FOR needed IN
    SELECT 'outbox' AS parent, today + make_interval(days => n) AS day FROM generate_series(-retention_days, 7) AS n
    UNION SELECT 'inbox', today + make_interval(days => n) FROM generate_series(-retention_days - 2, 7) AS n
    UNION SELECT 'inbox', gateway.cuid_day(event_id) FROM gateway.dead_letter WHERE consumer <> 'relay'
  LOOP
    CONTINUE WHEN needed.day IS NULL;
    PERFORM gateway.ensure_partition(needed.parent, needed.day, needed.day + interval '1 day',
      to_char(needed.day AT TIME ZONE 'UTC', 'YYYYMMDD'));
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION gateway.keep_outbox_partitions(integer) FROM PUBLIC;
-- Days past retention, oldest first, but those that a dead letter still needs.
CREATE FUNCTION gateway.past_partitions(retention_days integer) RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = gateway, pg_temp AS $$
  SELECT c.relname::text FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid
  JOIN pg_class p ON p.oid = i.inhparent AND p.relname IN ('outbox', 'inbox')
  CROSS JOIN LATERAL (SELECT to_date(substring(c.relname FROM '_([0-9]{8})$'), 'YYYYMMDD') AS day) AS named
  WHERE p.relnamespace = 'gateway'::regnamespace
    AND day < (now() AT TIME ZONE 'UTC')::date - retention_days - CASE p.relname WHEN 'inbox' THEN 2 ELSE 0 END
    AND NOT EXISTS (
      SELECT FROM gateway.dead_letter
      WHERE (consumer = 'relay') = (p.relname = 'outbox')
        AND event_id >= gateway.cuid_floor(day::timestamp AT TIME ZONE 'UTC')
        AND event_id < gateway.cuid_floor((day + 1)::timestamp AT TIME ZONE 'UTC'))
  ORDER BY day, c.relname
$$;
REVOKE ALL ON FUNCTION gateway.past_partitions(integer) FROM PUBLIC;
-- False: it holds an event that is not published yet, and stays.
CREATE FUNCTION gateway.drop_past_partition(name text, retention_days integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = gateway, pg_temp SET lock_timeout = '250ms' AS $$
DECLARE
  pending boolean := false;
BEGIN
  IF NOT EXISTS (SELECT FROM gateway.past_partitions(retention_days) AS past WHERE past = name) THEN RETURN false; END IF;
  IF name LIKE 'outbox%' THEN
    EXECUTE format('SELECT EXISTS (SELECT FROM gateway.%I WHERE published_at IS NULL)', name) INTO pending;
    IF pending THEN RETURN false; END IF;
    -- Looked at again under the lock: a replay may have made its events pending meanwhile.
    EXECUTE format('LOCK TABLE ONLY gateway.outbox, ONLY gateway.%I IN ACCESS EXCLUSIVE MODE', name);
    EXECUTE format('SELECT EXISTS (SELECT FROM gateway.%I WHERE published_at IS NULL)', name) INTO pending;
    IF pending THEN RETURN false; END IF;
  END IF;
  EXECUTE format('DROP TABLE gateway.%I', name);
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION gateway.drop_past_partition(text, integer) FROM PUBLIC;
SELECT gateway.keep_outbox_partitions(8);

INSERT INTO migration (timestamp, name) VALUES
  (1763700000000, 'Initial1763700000000'),
  (1764000001000, 'People1764000001000'),
  (1764000002000, 'AuditLog1764000002000'),
  (1764000002001, 'ApiKeyCreator1764000002001'),
  (1764000008000, 'AuditBeginnings1764000008000'),
  (1764100000000, 'Replay1764100000000');
