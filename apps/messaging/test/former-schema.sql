-- The schema messaging as its migrations before the baseline made it: their SQL, in the order in which they ran.
-- Run as the owner of the schema, with the schema as search path and an empty table `migration`.

-- Initial1763700000000
CREATE FUNCTION messaging.cuid_floor(moment timestamptz) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
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
CREATE FUNCTION messaging.ensure_partition(parent text, moment_from timestamptz, moment_to timestamptz, suffix text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = messaging, pg_temp AS $$
DECLARE
  child text := parent || '_' || suffix;
BEGIN
  -- Two replicas may ask at once: one makes it, the other finds it.
  PERFORM pg_advisory_xact_lock(hashtextextended('messaging.' || child, 0));
  IF to_regclass(format('messaging.%I', child)) IS NOT NULL THEN RETURN false; END IF;
  EXECUTE format('CREATE TABLE messaging.%I (LIKE messaging.%I INCLUDING ALL)', child, parent);
  EXECUTE format('ALTER TABLE messaging.%I ATTACH PARTITION messaging.%I FOR VALUES FROM (%L) TO (%L)',
    parent, child, messaging.cuid_floor(moment_from), messaging.cuid_floor(moment_to));
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION messaging.ensure_partition(text, timestamptz, timestamptz, text) FROM PUBLIC;
CREATE SEQUENCE messaging.outbox_position;
CREATE TABLE messaging.outbox (
  id text COLLATE "C" NOT NULL,
  position bigint NOT NULL DEFAULT nextval('messaging.outbox_position'),
  aggregate_id text NOT NULL,
  subject text NOT NULL,
  payload text NOT NULL,
  traceparent text,
  published_at timestamptz,
  PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX outbox_unpublished ON messaging.outbox (position) WHERE published_at IS NULL;
CREATE TABLE messaging.inbox (
  event_id text COLLATE "C" NOT NULL,
  consumer text NOT NULL,
  PRIMARY KEY (event_id, consumer)
) PARTITION BY RANGE (event_id);
CREATE TABLE messaging.dead_letter (
  event_id text COLLATE "C" NOT NULL,
  consumer text NOT NULL,
  subject text NOT NULL,
  envelope text NOT NULL,
  error text NOT NULL,
  deliveries integer NOT NULL,
  died_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (event_id, consumer)
);
CREATE OR REPLACE FUNCTION messaging.keep_outbox_partitions(retention_days integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = messaging, pg_temp AS $$
DECLARE
  today timestamptz := date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
  day timestamptz;
  old record;
BEGIN
  -- Streams replay seven days to a consumer that is new.
  FOR offset_days IN -8..7 LOOP
    day := today + make_interval(days => offset_days);
    PERFORM messaging.ensure_partition('outbox', day, day + interval '1 day', to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD'));
    PERFORM messaging.ensure_partition('inbox', day, day + interval '1 day', to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD'));
  END LOOP;
  FOR old IN
    SELECT c.relname, p.relname AS parent FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid
    JOIN pg_class p ON p.oid = i.inhparent AND p.relname IN ('outbox', 'inbox')
    WHERE p.relnamespace = 'messaging'::regnamespace AND right(c.relname, 8) ~ '^[0-9]{8}$'
      AND to_date(right(c.relname, 8), 'YYYYMMDD') < (today - make_interval(days => retention_days))::date
  LOOP
    -- A day that still holds an unpublished event stays until it is out.
    IF old.parent = 'outbox' THEN
      DECLARE pending boolean;
      BEGIN
        EXECUTE format('SELECT EXISTS (SELECT FROM messaging.%I WHERE published_at IS NULL)', old.relname) INTO pending;
        CONTINUE WHEN pending;
      END;
    END IF;
    EXECUTE format('DROP TABLE messaging.%I', old.relname);
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION messaging.keep_outbox_partitions(integer) FROM PUBLIC;
SELECT messaging.keep_outbox_partitions(8);
CREATE TABLE channel (
  organization_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  phone text NOT NULL,
  provider text NOT NULL,
  business_account_id text NOT NULL,
  phone_number_id text NOT NULL,
  -- AES-256-GCM: nonce, tag, ciphertext.
  access_token_sealed bytea NOT NULL,
  default_region text NOT NULL,
  is_default boolean NOT NULL,
  status text NOT NULL CHECK (status IN ('CONNECTED', 'DISCONNECTED')),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE UNIQUE INDEX channel_default ON channel (organization_id) WHERE is_default;
-- Callbacks name the line, not the organization.
CREATE UNIQUE INDEX channel_phone_number_id ON channel (phone_number_id);
-- A projection of the contacts service: what a send and a list need.
CREATE TABLE contact (
  organization_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  phone text NOT NULL,
  messaging_id text NOT NULL,
  name text,
  version bigint NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE TABLE contact_phone (
  organization_id text COLLATE "C" NOT NULL,
  phone text COLLATE "C" NOT NULL,
  contact_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization_id, phone)
);
-- Who must not be sent to; channel_id '*' stands for every channel.
CREATE TABLE suppression (
  organization_id text COLLATE "C" NOT NULL,
  contact_id text COLLATE "C" NOT NULL,
  channel_id text COLLATE "C" NOT NULL,
  source text NOT NULL CHECK (source IN ('API', 'KEYWORD', 'CONSOLE', 'UPSTREAM')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, contact_id, channel_id)
);
CREATE TABLE conversation (
  organization_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  channel_id text COLLATE "C" NOT NULL,
  contact_id text COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status IN ('OPEN', 'CLOSED', 'PENDING', 'ARCHIVED', 'SNOOZED')),
  -- 'c', the last message's time, the id's random part: order and cursor of lists.
  position text COLLATE "C" NOT NULL,
  last_message_at timestamptz,
  -- Number of the last event emitted; grows under this row's lock.
  event_sequence bigint NOT NULL,
  -- The message (or actor) that last moved the conversation into OPEN.
  opened_by text COLLATE "C",
  PRIMARY KEY (organization_id, id)
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX conversation_of_contact ON conversation (organization_id, channel_id, contact_id);
CREATE INDEX conversation_position ON conversation (organization_id, position);
CREATE INDEX conversation_status_position ON conversation (organization_id, status, position);
CREATE TABLE message (
  organization_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  conversation_id text COLLATE "C" NOT NULL,
  contact_id text COLLATE "C" NOT NULL,
  channel_id text COLLATE "C" NOT NULL,
  direction text NOT NULL CHECK (direction IN ('OUTBOUND', 'INBOUND')),
  type text NOT NULL CHECK (type IN ('TEXT', 'TEMPLATE', 'UNSUPPORTED')),
  unsupported_type text,
  text text,
  template jsonb,
  status text NOT NULL CHECK (status IN ('QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'RECEIVED')),
  upstream_message_id text,
  error_code text,
  error_message text,
  -- Start of the last attempt, by the database's clock; what sent_at becomes.
  attempted_at timestamptz,
  -- The earliest time reported of each kind; what the API shows is derived (message-progress.policy).
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  failed_at timestamptz,
  -- Of the request that sent it: callbacks go on in its trace, and logs of both have one id.
  traceparent text,
  PRIMARY KEY (organization_id, id)
) PARTITION BY RANGE (id);
-- Callbacks without our reference, and inbound messages received twice, are found by the upstream's id.
CREATE TABLE upstream_message (
  channel_id text COLLATE "C" NOT NULL,
  upstream_message_id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (channel_id, upstream_message_id)
);
-- A row as long as what became of an outbound message is open.
CREATE TABLE dispatch (
  organization_id text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  channel_id text COLLATE "C" NOT NULL,
  contact_id text COLLATE "C" NOT NULL,
  recipient_phone text NOT NULL,
  -- DISPATCHING until the lease ends, RETRY until the next attempt, UNKNOWN until the deadline.
  state text NOT NULL CHECK (state IN ('DISPATCHING', 'RETRY', 'UNKNOWN')),
  due_at timestamptz NOT NULL,
  attempts integer NOT NULL,
  -- Who may make the attempt that is marked: drawn anew with every DISPATCHING.
  lease text NOT NULL,
  PRIMARY KEY (organization_id, message_id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX dispatch_due ON dispatch (state, due_at);
CREATE FUNCTION keep_message_partitions() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = messaging, pg_temp AS $$
DECLARE
  this_month timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
  month timestamptz;
BEGIN
  FOR offset_months IN -1..3 LOOP
    month := this_month + make_interval(months => offset_months);
    PERFORM ensure_partition('message', month, month + interval '1 month', to_char(month AT TIME ZONE 'UTC', 'YYYYMM'));
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION keep_message_partitions() FROM PUBLIC;
SELECT keep_message_partitions();

-- Quota1764000003000
CREATE TABLE quota (
  organization_id text COLLATE "C" NOT NULL,
  -- YYYY-MM in UTC, of the messages' ids.
  month text COLLATE "C" NOT NULL CHECK (month ~ '^[0-9]{4}-[0-9]{2}$'),
  used bigint NOT NULL CHECK (used >= 0),
  PRIMARY KEY (organization_id, month)
) WITH (fillfactor = 50);
CREATE FUNCTION take_quota(organizations text[], months text[], messages integer[], used_before_max bigint[])
RETURNS void LANGUAGE plpgsql SET search_path = messaging, pg_temp AS $$
DECLARE
  has_moved boolean;
BEGIN
  WITH asked AS (
    SELECT * FROM unnest(organizations, months, messages, used_before_max)
      AS a(organization_id, month, count, before_max)
  ), taken AS (
    INSERT INTO quota AS q (organization_id, month, used)
    SELECT organization_id, month, count FROM asked ORDER BY 1, 2
    ON CONFLICT (organization_id, month) DO UPDATE SET used = q.used + excluded.used
    RETURNING q.organization_id, q.month, q.used
  )
  SELECT bool_or(taken.used - asked.count > asked.before_max) INTO has_moved
  FROM taken JOIN asked USING (organization_id, month);
  IF has_moved THEN
    RAISE EXCEPTION 'more of a quota was used meanwhile' USING ERRCODE = 'QT001';
  END IF;
END $$;
CREATE FUNCTION quota_counted(organization text, of_month text)
RETURNS bigint LANGUAGE sql STABLE SET search_path = messaging, pg_temp AS $$
  SELECT count(*) FROM message m
  WHERE m.organization_id = organization
    AND m.id >= cuid_floor((of_month || '-01')::timestamp AT TIME ZONE 'UTC')
    AND m.id < cuid_floor(((of_month || '-01')::timestamp + interval '1 month') AT TIME ZONE 'UTC')
    AND m.direction = 'OUTBOUND'
    AND (m.status <> 'FAILED' OR m.sent_at IS NOT NULL OR m.error_code = 'UPSTREAM_OUTCOME_UNKNOWN')
$$;
INSERT INTO quota (organization_id, month, used)
SELECT o.organization_id, m.month, quota_counted(o.organization_id, m.month)
FROM (SELECT DISTINCT organization_id FROM channel) AS o
CROSS JOIN (SELECT to_char((now() AT TIME ZONE 'UTC') - make_interval(months => ago), 'YYYY-MM') AS month
  FROM generate_series(-1, 1) AS ago) AS m;

-- IdempotencyKeys1764000004000
CREATE TABLE idempotency_key (
  organization_id text COLLATE "C" NOT NULL,
  key_sha256 bytea NOT NULL CHECK (length(key_sha256) = 32),
  body_sha256 bytea NOT NULL CHECK (length(body_sha256) = 32),
  message_id text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- What every request with the key is answered, once it is known; never changed.
  status smallint,
  answer text,
  PRIMARY KEY (organization_id, key_sha256),
  CHECK ((status IS NULL) = (answer IS NULL))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
-- Of all organizations: what is past its day is forgotten in the order of its age.
CREATE INDEX idempotency_key_age ON idempotency_key (created_at);

-- PhoneVersions1764000006000
ALTER TABLE contact_phone ADD COLUMN version bigint NOT NULL DEFAULT -1;

-- QuotaCountsAll1764000009000
CREATE OR REPLACE FUNCTION quota_counted(organization text, of_month text)
RETURNS bigint LANGUAGE sql STABLE SET search_path = messaging, pg_temp AS $$
  SELECT count(*) FROM message m
  WHERE m.organization_id = organization
    AND m.id >= cuid_floor((of_month || '-01')::timestamp AT TIME ZONE 'UTC')
    AND m.id < cuid_floor(((of_month || '-01')::timestamp + interval '1 month') AT TIME ZONE 'UTC')
    AND m.direction = 'OUTBOUND' 
$$;
SELECT organization_id, month FROM quota
WHERE month >= to_char((now() AT TIME ZONE 'UTC') - interval '1 month', 'YYYY-MM')
ORDER BY 1, 2 FOR UPDATE;
UPDATE quota q SET used = quota_counted(q.organization_id, q.month)
WHERE month >= to_char((now() AT TIME ZONE 'UTC') - interval '1 month', 'YYYY-MM');

-- Replay1764100000000
CREATE TABLE messaging.relay_state (
  stream text COLLATE "C" PRIMARY KEY,
  -- The broker's own word for when the stream was made, compared and never read.
  created text NOT NULL,
  last_sequence bigint NOT NULL,
  epoch integer NOT NULL DEFAULT 1,
  replay_from text COLLATE "C"
) WITH (fillfactor = 50);
ALTER TABLE messaging.dead_letter ADD COLUMN redrive_requested_at timestamptz;
CREATE INDEX dead_letter_redrive ON messaging.dead_letter (consumer, event_id) WHERE redrive_requested_at IS NOT NULL;
-- The day (UTC) of a cuid; null for any other text.
CREATE FUNCTION messaging.cuid_day(cuid text) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  millis bigint := 0;
BEGIN
  IF cuid !~ '^c[0-9a-z]{8}' THEN RETURN NULL; END IF;
  FOR place IN 2..9 LOOP
    millis := millis * 36 + strpos('0123456789abcdefghijklmnopqrstuvwxyz', substr(cuid, place, 1)) - 1;
  END LOOP;
  RETURN to_timestamp(millis / 86400000 * 86400);
END $$;
REVOKE ALL ON FUNCTION messaging.cuid_day(text) FROM PUBLIC;
CREATE OR REPLACE FUNCTION messaging.keep_outbox_partitions(retention_days integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = messaging, pg_temp AS $$
DECLARE
  today timestamptz := date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
  needed record;
BEGIN
  FOR needed IN
    SELECT 'outbox' AS parent, today + make_interval(days => n) AS day FROM generate_series(-retention_days, 7) AS n
    UNION SELECT 'inbox', today + make_interval(days => n) FROM generate_series(-retention_days - 2, 7) AS n
    UNION SELECT 'inbox', messaging.cuid_day(event_id) FROM messaging.dead_letter WHERE consumer <> 'relay'
  LOOP
    CONTINUE WHEN needed.day IS NULL;
    PERFORM messaging.ensure_partition(needed.parent, needed.day, needed.day + interval '1 day',
      to_char(needed.day AT TIME ZONE 'UTC', 'YYYYMMDD'));
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION messaging.keep_outbox_partitions(integer) FROM PUBLIC;
-- Days past retention, oldest first, but those that a dead letter still needs.
CREATE FUNCTION messaging.past_partitions(retention_days integer) RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = messaging, pg_temp AS $$
  SELECT c.relname::text FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid
  JOIN pg_class p ON p.oid = i.inhparent AND p.relname IN ('outbox', 'inbox')
  CROSS JOIN LATERAL (SELECT to_date(substring(c.relname FROM '_([0-9]{8})$'), 'YYYYMMDD') AS day) AS named
  WHERE p.relnamespace = 'messaging'::regnamespace
    AND day < (now() AT TIME ZONE 'UTC')::date - retention_days - CASE p.relname WHEN 'inbox' THEN 2 ELSE 0 END
    AND NOT EXISTS (
      SELECT FROM messaging.dead_letter
      WHERE (consumer = 'relay') = (p.relname = 'outbox')
        AND event_id >= messaging.cuid_floor(day::timestamp AT TIME ZONE 'UTC')
        AND event_id < messaging.cuid_floor((day + 1)::timestamp AT TIME ZONE 'UTC'))
  ORDER BY day, c.relname
$$;
REVOKE ALL ON FUNCTION messaging.past_partitions(integer) FROM PUBLIC;
-- False: it holds an event that is not published yet, and stays.
CREATE FUNCTION messaging.drop_past_partition(name text, retention_days integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = messaging, pg_temp SET lock_timeout = '250ms' AS $$
DECLARE
  pending boolean := false;
BEGIN
  IF NOT EXISTS (SELECT FROM messaging.past_partitions(retention_days) AS past WHERE past = name) THEN RETURN false; END IF;
  IF name LIKE 'outbox%' THEN
    EXECUTE format('SELECT EXISTS (SELECT FROM messaging.%I WHERE published_at IS NULL)', name) INTO pending;
    IF pending THEN RETURN false; END IF;
    -- Looked at again under the lock: a replay may have made its events pending meanwhile.
    EXECUTE format('LOCK TABLE ONLY messaging.outbox, ONLY messaging.%I IN ACCESS EXCLUSIVE MODE', name);
    EXECUTE format('SELECT EXISTS (SELECT FROM messaging.%I WHERE published_at IS NULL)', name) INTO pending;
    IF pending THEN RETURN false; END IF;
  END IF;
  EXECUTE format('DROP TABLE messaging.%I', name);
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION messaging.drop_past_partition(text, integer) FROM PUBLIC;
SELECT messaging.keep_outbox_partitions(8);

-- Snooze1764400000000
ALTER TABLE conversation ADD COLUMN snoozed_until timestamptz;
CREATE INDEX conversation_snoozed ON conversation (snoozed_until)
  WHERE status = 'SNOOZED' AND snoozed_until IS NOT NULL;

-- RetryLines1764500000000
CREATE INDEX dispatch_line ON dispatch (organization_id, channel_id, due_at) WHERE state = 'RETRY';

-- ObservedOptOuts1764600000000
ALTER TABLE suppression ADD COLUMN observed_by text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE suppression DROP CONSTRAINT suppression_pkey,
  ADD PRIMARY KEY (organization_id, contact_id, channel_id, observed_by);

-- MessageLists1764700000000
DROP INDEX IF EXISTS message_page;
CREATE INDEX message_page ON message ((organization_id || ' ' || conversation_id), id) WHERE conversation_id > '';

-- ConversationLists1764700001000
DROP INDEX IF EXISTS conversation_branch;
CREATE INDEX conversation_branch
  ON conversation ((organization_id || ' ' || channel_id || ' ' || status), position);
DROP INDEX IF EXISTS conversation_status_position;

-- PlannerHints1764700002000
CREATE OR REPLACE FUNCTION keep_message_partitions() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = messaging, pg_temp AS $$
DECLARE
  this_month timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
  month timestamptz;
BEGIN
  FOR offset_months IN -1..3 LOOP
    month := this_month + make_interval(months => offset_months);
    PERFORM ensure_partition('message', month, month + interval '1 month', to_char(month AT TIME ZONE 'UTC', 'YYYYMM'));
  END LOOP;
IF to_regproc('pg_catalog.pg_restore_attribute_stats') IS NOT NULL THEN
  PERFORM pg_restore_attribute_stats('schemaname', 'messaging', 'relname', c.relname::text,
    'attname', 'organization_id', 'inherited', false, 'version', current_setting('server_version_num')::integer,
    'null_frac', 0::real, 'avg_width', 25, 'n_distinct', 4::real)
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
  WHERE c.relnamespace = 'messaging'::regnamespace AND c.relkind = 'r' AND NOT EXISTS (
    SELECT FROM pg_stats s
    WHERE s.schemaname = 'messaging' AND s.tablename = c.relname AND s.attname = 'organization_id');
END IF;
END $$;

-- OptOutKeywords1764800005000
ALTER TABLE channel ADD COLUMN opt_out_keywords text[] NOT NULL DEFAULT '{}';
CREATE INDEX channel_business_account ON channel (business_account_id);

INSERT INTO migration (timestamp, name) VALUES
  (1763700000000, 'Initial1763700000000'),
  (1764000003000, 'Quota1764000003000'),
  (1764000004000, 'IdempotencyKeys1764000004000'),
  (1764000006000, 'PhoneVersions1764000006000'),
  (1764000009000, 'QuotaCountsAll1764000009000'),
  (1764100000000, 'Replay1764100000000'),
  (1764400000000, 'Snooze1764400000000'),
  (1764500000000, 'RetryLines1764500000000'),
  (1764600000000, 'ObservedOptOuts1764600000000'),
  (1764700000000, 'MessageLists1764700000000'),
  (1764700001000, 'ConversationLists1764700001000'),
  (1764700002000, 'PlannerHints1764700002000'),
  (1764800005000, 'OptOutKeywords1764800005000');
