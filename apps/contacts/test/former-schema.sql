-- The schema contacts as its migrations before the baseline made it: their SQL, in the order in which they ran.
-- Run as the owner of the schema, with the schema as search path and an empty table `migration`.

-- Contacts1764000000000
CREATE FUNCTION contacts.cuid_floor(moment timestamptz) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
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
CREATE FUNCTION contacts.ensure_partition(parent text, moment_from timestamptz, moment_to timestamptz, suffix text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = contacts, pg_temp AS $$
DECLARE
  child text := parent || '_' || suffix;
BEGIN
  -- Two replicas may ask at once: one makes it, the other finds it.
  PERFORM pg_advisory_xact_lock(hashtextextended('contacts.' || child, 0));
  IF to_regclass(format('contacts.%I', child)) IS NOT NULL THEN RETURN false; END IF;
  EXECUTE format('CREATE TABLE contacts.%I (LIKE contacts.%I INCLUDING ALL)', child, parent);
  EXECUTE format('ALTER TABLE contacts.%I ATTACH PARTITION contacts.%I FOR VALUES FROM (%L) TO (%L)',
    parent, child, contacts.cuid_floor(moment_from), contacts.cuid_floor(moment_to));
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION contacts.ensure_partition(text, timestamptz, timestamptz, text) FROM PUBLIC;
CREATE SEQUENCE contacts.outbox_position;
CREATE TABLE contacts.outbox (
  id text COLLATE "C" NOT NULL,
  position bigint NOT NULL DEFAULT nextval('contacts.outbox_position'),
  aggregate_id text NOT NULL,
  subject text NOT NULL,
  payload text NOT NULL,
  traceparent text,
  published_at timestamptz,
  PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX outbox_unpublished ON contacts.outbox (position) WHERE published_at IS NULL;
CREATE TABLE contacts.inbox (
  event_id text COLLATE "C" NOT NULL,
  consumer text NOT NULL,
  PRIMARY KEY (event_id, consumer)
) PARTITION BY RANGE (event_id);
CREATE TABLE contacts.dead_letter (
  event_id text COLLATE "C" NOT NULL,
  consumer text NOT NULL,
  subject text NOT NULL,
  envelope text NOT NULL,
  error text NOT NULL,
  deliveries integer NOT NULL,
  died_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (event_id, consumer)
);
CREATE OR REPLACE FUNCTION contacts.keep_outbox_partitions(retention_days integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = contacts, pg_temp AS $$
DECLARE
  today timestamptz := date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
  day timestamptz;
  old record;
BEGIN
  -- Streams replay seven days to a consumer that is new.
  FOR offset_days IN -8..7 LOOP
    day := today + make_interval(days => offset_days);
    PERFORM contacts.ensure_partition('outbox', day, day + interval '1 day', to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD'));
    PERFORM contacts.ensure_partition('inbox', day, day + interval '1 day', to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD'));
  END LOOP;
  FOR old IN
    SELECT c.relname, p.relname AS parent FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid
    JOIN pg_class p ON p.oid = i.inhparent AND p.relname IN ('outbox', 'inbox')
    WHERE p.relnamespace = 'contacts'::regnamespace AND right(c.relname, 8) ~ '^[0-9]{8}$'
      AND to_date(right(c.relname, 8), 'YYYYMMDD') < (today - make_interval(days => retention_days))::date
  LOOP
    -- A day that still holds an unpublished event stays until it is out.
    IF old.parent = 'outbox' THEN
      DECLARE pending boolean;
      BEGIN
        EXECUTE format('SELECT EXISTS (SELECT FROM contacts.%I WHERE published_at IS NULL)', old.relname) INTO pending;
        CONTINUE WHEN pending;
      END;
    END IF;
    EXECUTE format('DROP TABLE contacts.%I', old.relname);
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION contacts.keep_outbox_partitions(integer) FROM PUBLIC;
SELECT contacts.keep_outbox_partitions(8);
CREATE TABLE contacts.contact (
  organization_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  phone text NOT NULL,
  messaging_id text NOT NULL,
  name text,
  email text,
  version bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- Every E.164 form of a subscriber: its key is what makes concurrent resolves of one phone meet.
CREATE TABLE contacts.contact_phone (
  organization_id text COLLATE "C" NOT NULL,
  phone text COLLATE "C" NOT NULL,
  contact_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization_id, phone)
);
CREATE INDEX contact_phone_contact ON contacts.contact_phone (organization_id, contact_id);

-- Replay1764100000000
CREATE TABLE contacts.relay_state (
  stream text COLLATE "C" PRIMARY KEY,
  -- The broker's own word for when the stream was made, compared and never read.
  created text NOT NULL,
  last_sequence bigint NOT NULL,
  epoch integer NOT NULL DEFAULT 1,
  replay_from text COLLATE "C"
) WITH (fillfactor = 50);
ALTER TABLE contacts.dead_letter ADD COLUMN redrive_requested_at timestamptz;
CREATE INDEX dead_letter_redrive ON contacts.dead_letter (consumer, event_id) WHERE redrive_requested_at IS NOT NULL;
-- The day (UTC) of a cuid; null for any other text.
CREATE FUNCTION contacts.cuid_day(cuid text) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  millis bigint := 0;
BEGIN
  IF cuid !~ '^c[0-9a-z]{8}' THEN RETURN NULL; END IF;
  FOR place IN 2..9 LOOP
    millis := millis * 36 + strpos('0123456789abcdefghijklmnopqrstuvwxyz', substr(cuid, place, 1)) - 1;
  END LOOP;
  RETURN to_timestamp(millis / 86400000 * 86400);
END $$;
REVOKE ALL ON FUNCTION contacts.cuid_day(text) FROM PUBLIC;
CREATE OR REPLACE FUNCTION contacts.keep_outbox_partitions(retention_days integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = contacts, pg_temp AS $$
DECLARE
  today timestamptz := date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
  needed record;
BEGIN
  FOR needed IN
    SELECT 'outbox' AS parent, today + make_interval(days => n) AS day FROM generate_series(-retention_days, 7) AS n
    UNION SELECT 'inbox', today + make_interval(days => n) FROM generate_series(-retention_days - 2, 7) AS n
    UNION SELECT 'inbox', contacts.cuid_day(event_id) FROM contacts.dead_letter WHERE consumer <> 'relay'
  LOOP
    CONTINUE WHEN needed.day IS NULL;
    PERFORM contacts.ensure_partition(needed.parent, needed.day, needed.day + interval '1 day',
      to_char(needed.day AT TIME ZONE 'UTC', 'YYYYMMDD'));
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION contacts.keep_outbox_partitions(integer) FROM PUBLIC;
-- Days past retention, oldest first, but those that a dead letter still needs.
CREATE FUNCTION contacts.past_partitions(retention_days integer) RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = contacts, pg_temp AS $$
  SELECT c.relname::text FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhrelid
  JOIN pg_class p ON p.oid = i.inhparent AND p.relname IN ('outbox', 'inbox')
  CROSS JOIN LATERAL (SELECT to_date(substring(c.relname FROM '_([0-9]{8})$'), 'YYYYMMDD') AS day) AS named
  WHERE p.relnamespace = 'contacts'::regnamespace
    AND day < (now() AT TIME ZONE 'UTC')::date - retention_days - CASE p.relname WHEN 'inbox' THEN 2 ELSE 0 END
    AND NOT EXISTS (
      SELECT FROM contacts.dead_letter
      WHERE (consumer = 'relay') = (p.relname = 'outbox')
        AND event_id >= contacts.cuid_floor(day::timestamp AT TIME ZONE 'UTC')
        AND event_id < contacts.cuid_floor((day + 1)::timestamp AT TIME ZONE 'UTC'))
  ORDER BY day, c.relname
$$;
REVOKE ALL ON FUNCTION contacts.past_partitions(integer) FROM PUBLIC;
-- False: it holds an event that is not published yet, and stays.
CREATE FUNCTION contacts.drop_past_partition(name text, retention_days integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = contacts, pg_temp SET lock_timeout = '250ms' AS $$
DECLARE
  pending boolean := false;
BEGIN
  IF NOT EXISTS (SELECT FROM contacts.past_partitions(retention_days) AS past WHERE past = name) THEN RETURN false; END IF;
  IF name LIKE 'outbox%' THEN
    EXECUTE format('SELECT EXISTS (SELECT FROM contacts.%I WHERE published_at IS NULL)', name) INTO pending;
    IF pending THEN RETURN false; END IF;
    -- Looked at again under the lock: a replay may have made its events pending meanwhile.
    EXECUTE format('LOCK TABLE ONLY contacts.outbox, ONLY contacts.%I IN ACCESS EXCLUSIVE MODE', name);
    EXECUTE format('SELECT EXISTS (SELECT FROM contacts.%I WHERE published_at IS NULL)', name) INTO pending;
    IF pending THEN RETURN false; END IF;
  END IF;
  EXECUTE format('DROP TABLE contacts.%I', name);
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION contacts.drop_past_partition(text, integer) FROM PUBLIC;
SELECT contacts.keep_outbox_partitions(8);

-- Aliases1764200000000
ALTER TABLE contacts.contact_phone RENAME TO contact_alias;
ALTER TABLE contacts.contact_alias RENAME COLUMN phone TO alias;
ALTER INDEX contacts.contact_phone_pkey RENAME TO contact_alias_pkey;
ALTER INDEX contacts.contact_phone_contact RENAME TO contact_alias_contact;

-- OptOuts1764200001000
-- A projection of messaging's channels; default_region is null while only the id is known.
CREATE TABLE contacts.channel (
  organization_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  is_default boolean NOT NULL DEFAULT false,
  default_region text,
  -- Id of the last event applied; a later one is newer.
  told_by text COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (organization_id, id)
);
CREATE TABLE contacts.opt_out (
  organization_id text COLLATE "C" NOT NULL,
  -- Carries the time of its creation.
  id text COLLATE "C" NOT NULL,
  contact_id text COLLATE "C" NOT NULL,
  -- '*' stands for every channel.
  channel_id text COLLATE "C" NOT NULL,
  source text NOT NULL CHECK (source IN ('API', 'KEYWORD', 'CONSOLE', 'UPSTREAM')),
  reason text,
  PRIMARY KEY (organization_id, id)
);
-- At most one a contact and channel; every change of them grows the contact's version, under its lock.
CREATE UNIQUE INDEX opt_out_contact ON contacts.opt_out (organization_id, contact_id, channel_id);
CREATE INDEX opt_out_channel ON contacts.opt_out (organization_id, channel_id, id);
ALTER TABLE contacts.contact
  -- How many single channels its opt-outs cover; -1: all of them. Lists of opted-out contacts walk it.
  ADD COLUMN coverage integer NOT NULL DEFAULT 0,
  -- What the upstream reported of it and was applied: changes of number, preferences by channel.
  ADD COLUMN heard jsonb,
  SET (fillfactor = 90);
-- The condition holds for every row, and only lists state it: no other statement can be planned with this index,
-- which on tables that are empty still costs what the primary key costs.
CREATE INDEX contact_coverage ON contacts.contact (organization_id, coverage, id) WHERE coverage >= -1;

-- Search1764200002000
ALTER TABLE contacts.contact ADD COLUMN search_text text NOT NULL DEFAULT '';
UPDATE contacts.contact
  SET search_text = upper(coalesce(name, '')) || E'\x1f' || phone || E'\x1f' || upper(coalesce(email, ''));
ALTER TABLE contacts.contact ALTER COLUMN search_text DROP DEFAULT;
CREATE FUNCTION contacts.search_grams(organization_id text, search_text text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  filled text := search_text || E'\x1f\x1f';
  places integer := length(filled);
  gram text := E'\x1e' || right(organization_id, 6) || '\1';
BEGIN
  RETURN array_to_tsvector(array_remove(string_to_array(
    regexp_replace(left(filled, places / 3 * 3), '(...)', gram, 'g')
      || regexp_replace(substr(filled, 2, (places - 1) / 3 * 3), '(...)', gram, 'g')
      || regexp_replace(substr(filled, 3, (places - 2) / 3 * 3), '(...)', gram, 'g'),
    E'\x1e'), ''));
END $$;
-- A short list of what is not in the index proper yet: every search reads all of it.
CREATE INDEX contact_search ON contacts.contact USING gin (contacts.search_grams(organization_id, search_text))
  WITH (fastupdate = on, gin_pending_list_limit = 256);
CREATE FUNCTION contacts.search_contacts(organization text, before text, grams tsquery, term text, coverages integer[],
  at_most integer)
RETURNS SETOF text LANGUAGE plpgsql STABLE
SET enable_bitmapscan = on SET enable_indexscan = off SET enable_indexonlyscan = off AS $$
BEGIN
  RETURN QUERY SELECT c.id FROM contacts.contact c
    WHERE contacts.search_grams(c.organization_id, c.search_text) @@ grams
      AND (c.organization_id = organization) IS TRUE AND (c.id < before) IS TRUE
      AND (coverages IS NULL OR (c.coverage = ANY (coverages)) IS TRUE)
      AND strpos(c.search_text, term) > 0
    ORDER BY c.id DESC LIMIT at_most;
END $$;

-- UnconfirmedLifts1764800005000
CREATE TABLE contacts.unconfirmed_lift (
  organization_id text COLLATE "C" NOT NULL,
  opt_out_id text COLLATE "C" NOT NULL,
  contact_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (organization_id, opt_out_id)
);

-- SearchShelves1764800007000
DROP FUNCTION contacts.search_contacts; DROP INDEX contacts.contact_search;
ALTER TABLE contacts.contact ADD COLUMN place integer;
UPDATE contacts.contact c SET place = n.place
  FROM (SELECT organization_id, id, row_number() OVER (PARTITION BY organization_id ORDER BY id) - 1 AS place
    FROM contacts.contact) n
  WHERE c.organization_id = n.organization_id AND c.id = n.id;
ALTER TABLE contacts.contact
  ALTER COLUMN place SET NOT NULL,
  ADD COLUMN shelf integer NOT NULL GENERATED ALWAYS AS (place / 8192) STORED;
CREATE FUNCTION contacts.place_contact() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.place := 1 + coalesce((SELECT c.place FROM contacts.contact c
    WHERE c.organization_id = NEW.organization_id AND c.id < NEW.id ORDER BY c.id DESC LIMIT 1), -1);
  RETURN NEW;
END $$;
CREATE TRIGGER contact_place BEFORE INSERT ON contacts.contact FOR EACH ROW WHEN (NEW.place IS NULL)
  EXECUTE FUNCTION contacts.place_contact();
-- The condition holds for every row, and only the search states it, as with contact_coverage.
CREATE INDEX contact_shelf ON contacts.contact (organization_id, shelf, id) WHERE shelf >= 0;
DROP FUNCTION contacts.search_grams(text, text);
CREATE FUNCTION contacts.search_grams(organization_id text, shelf integer, search_text text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  filled text := search_text || E'\x1f\x1f';
  places integer := length(filled);
  gram text := E'\x1e' || right(organization_id, 6) || to_hex(shelf) || '.\1';
BEGIN
  RETURN array_to_tsvector(array_remove(string_to_array(
    regexp_replace(left(filled, places / 3 * 3), '(...)', gram, 'g')
      || regexp_replace(substr(filled, 2, (places - 1) / 3 * 3), '(...)', gram, 'g')
      || regexp_replace(substr(filled, 3, (places - 2) / 3 * 3), '(...)', gram, 'g'),
    E'\x1e'), ''));
END $$;
CREATE INDEX contact_search ON contacts.contact
  USING gin (contacts.search_grams(organization_id, shelf, search_text)) WITH (fastupdate = off);
CREATE FUNCTION contacts.search_shelf(organization text, number integer, before text, grams tsquery, term text,
  coverages integer[], crowd integer)
RETURNS text[] LANGUAGE plpgsql STABLE SET enable_bitmapscan = on AS $$
BEGIN
  RETURN (SELECT CASE WHEN count(*) < crowd THEN coalesce(array_agg(candidate.id) FILTER (
        WHERE strpos(candidate.search_text, term) > 0 AND (coverages IS NULL OR candidate.coverage = ANY (coverages))), '{}')
      END
    FROM (SELECT c.id, c.search_text, c.coverage FROM contacts.contact c
      WHERE contacts.search_grams(c.organization_id, c.shelf, c.search_text) @@ grams
        AND (c.organization_id = organization) IS TRUE AND (c.shelf = number) IS TRUE AND (c.id < before) IS TRUE
      LIMIT crowd) candidate);
END $$;
CREATE FUNCTION contacts.search_contacts(organization text, before text, term text, grams text[], coverages integer[],
  at_most integer)
RETURNS SETOF text LANGUAGE plpgsql STABLE AS $$
DECLARE
  asked constant integer := 4;
  crowd constant integer := 200;
  top integer := (SELECT c.shelf FROM contacts.contact c WHERE c.organization_id = organization AND c.shelf >= 0
    ORDER BY c.shelf DESC LIMIT 1);
  -- By shelf, in the order of its newest contact below the id.
  numbers integer[];
  newest text[];
  oldest text[];
  sample text[];
  question text;
  -- Newest first.
  matches text[] := '{}';
  part text[];
BEGIN
  SELECT array_agg(n.number ORDER BY l.id DESC), array_agg(l.id ORDER BY l.id DESC), array_agg(f.id ORDER BY l.id DESC)
    INTO numbers, newest, oldest
    FROM generate_series(0, top) AS n(number)
    CROSS JOIN LATERAL (SELECT c.id FROM contacts.contact c
      WHERE c.organization_id = organization AND c.shelf = n.number AND c.shelf >= 0 AND c.id < before
      ORDER BY c.id DESC LIMIT 1) l
    CROSS JOIN LATERAL (SELECT c.id FROM contacts.contact c
      WHERE c.organization_id = organization AND c.shelf = n.number AND c.shelf >= 0
      ORDER BY c.id LIMIT 1) f;
  IF cardinality(grams) > asked THEN
    sample := ARRAY(SELECT c.search_text FROM unnest(numbers) AS n(number)
      CROSS JOIN LATERAL (SELECT c.search_text FROM contacts.contact c
        WHERE c.organization_id = organization AND c.shelf = n.number AND c.shelf >= 0
        ORDER BY c.id DESC LIMIT 1 + 256 / cardinality(numbers)) c);
    grams := ARRAY(SELECT g.gram FROM unnest(grams) AS g(gram)
      ORDER BY (SELECT count(*) FROM unnest(sample) AS e(search_text) WHERE strpos(e.search_text, g.gram) > 0) LIMIT asked);
  END IF;
  question := (SELECT string_agg(concat($q$'$q$, E'\x1e', replace(replace(g.gram, '\', '\\'), $q$'$q$, $q$''$q$), $q$'$q$), ' & ')
    FROM unnest(grams) AS g(gram)) || CASE WHEN length(term) < 3 THEN ':*' ELSE '' END;
  FOR s IN 1 .. coalesce(cardinality(numbers), 0) LOOP
    EXIT WHEN matches[at_most] COLLATE "C" > newest[s];
    part := contacts.search_shelf(organization, numbers[s], before,
      replace(question, E'\x1e', right(organization, 6) || to_hex(numbers[s]) || '.')::tsquery, term, coverages, crowd);
    IF part IS NULL AND coverages IS NULL THEN
      part := ARRAY(SELECT c.id FROM contacts.contact c
        WHERE c.organization_id = organization AND c.shelf = numbers[s] AND c.shelf >= 0 AND c.id < before
          AND strpos(c.search_text, term) > 0
        ORDER BY c.id DESC LIMIT at_most);
    ELSIF part IS NULL THEN
      part := ARRAY(SELECT found.id FROM unnest(coverages) AS v(coverage)
        CROSS JOIN LATERAL (SELECT c.id FROM contacts.contact c
          WHERE c.organization_id = organization AND c.coverage = v.coverage AND c.coverage >= -1
            AND c.id < before AND c.id >= oldest[s] AND c.id <= newest[s] AND (c.shelf = numbers[s]) IS TRUE
            AND strpos(c.search_text, term) > 0
          ORDER BY c.id DESC LIMIT at_most) found
        ORDER BY found.id DESC LIMIT at_most);
    END IF;
    IF cardinality(part) > 0 THEN
      matches := ARRAY(SELECT m.id FROM unnest(matches || part) AS m(id) ORDER BY m.id COLLATE "C" DESC LIMIT at_most);
    END IF;
  END LOOP;
  RETURN QUERY SELECT unnest(matches);
END $$;

-- LiftTimes1764800010000
ALTER TABLE contacts.unconfirmed_lift ADD COLUMN begun_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX unconfirmed_lift_begun ON contacts.unconfirmed_lift (begun_at);

INSERT INTO migration (timestamp, name) VALUES
  (1764000000000, 'Contacts1764000000000'),
  (1764100000000, 'Replay1764100000000'),
  (1764200000000, 'Aliases1764200000000'),
  (1764200001000, 'OptOuts1764200001000'),
  (1764200002000, 'Search1764200002000'),
  (1764800005000, 'UnconfirmedLifts1764800005000'),
  (1764800007000, 'SearchShelves1764800007000'),
  (1764800010000, 'LiftTimes1764800010000');
