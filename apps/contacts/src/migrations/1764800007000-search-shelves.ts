import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The index of grams by shelf: a search reads it shelf by shelf in the order of the list, and ends where its page is full.
 *
 * Lock: ACCESS EXCLUSIVE on `contact` while every row is written and the index is built, a minute per million rows: contacts
 * answers 503 meanwhile. Nothing was ever released before it, so that no database in use has to go through it. A service
 * of before fails in searches afterwards. Reversal: the former index and function.
 */
export class SearchShelves1764800007000 implements MigrationInterface {
  readonly name = 'SearchShelves1764800007000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION contacts.search_contacts; DROP INDEX contacts.contact_search');
    await runner.query(SHELVES);
    await runner.query(GRAMS);
    await runner.query(SEARCH_SHELF);
    await runner.query(SEARCH);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION contacts.search_contacts;
      DROP FUNCTION contacts.search_shelf;
      DROP INDEX contacts.contact_search;
      DROP FUNCTION contacts.search_grams(text, integer, text);
      DROP TRIGGER contact_place ON contacts.contact;
      DROP FUNCTION contacts.place_contact;
      ALTER TABLE contacts.contact DROP COLUMN shelf, DROP COLUMN place;
    `);
    await runner.query(BEFORE);
  }
}

/**
 * A shelf is about 8,192 contacts of an organization that follow each other by id. Which one a contact is on is told by its
 * neighbour and never changes; those that are inserted at the same moment do not see each other, so shelves may be larger,
 * and overlap where they meet: the search relies on neither.
 */
const SHELVES = `
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
`;

/** As before, but every gram is led by the shelf too. No list of pending entries: a search would read it for every shelf. */
const GRAMS = `
  DROP FUNCTION contacts.search_grams(text, text);
  CREATE FUNCTION contacts.search_grams(organization_id text, shelf integer, search_text text) RETURNS tsvector
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
  DECLARE
    filled text := search_text || E'\\x1f\\x1f';
    places integer := length(filled);
    gram text := E'\\x1e' || right(organization_id, 6) || to_hex(shelf) || '.\\1';
  BEGIN
    RETURN array_to_tsvector(array_remove(string_to_array(
      regexp_replace(left(filled, places / 3 * 3), '(...)', gram, 'g')
        || regexp_replace(substr(filled, 2, (places - 1) / 3 * 3), '(...)', gram, 'g')
        || regexp_replace(substr(filled, 3, (places - 2) / 3 * 3), '(...)', gram, 'g'),
      E'\\x1e'), ''));
  END $$;

  CREATE INDEX contact_search ON contacts.contact
    USING gin (contacts.search_grams(organization_id, shelf, search_text)) WITH (fastupdate = off);
`;

/**
 * The contacts of one shelf that match, in no order; null when the index yields a crowd, which is read no further.
 *
 * GIN gives bitmaps, which the pools' planner settings exclude. Conditions beside the grams stand as IS TRUE, so that no
 * other index can be chosen.
 */
const SEARCH_SHELF = `
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
`;

/**
 * The newest contacts that match, below an id. Shelves are read from the newest on, and no further than the page reaches;
 * where the index yields a crowd, the shelf is walked instead: half a microsecond a contact, and a crowd fills a page.
 *
 * grams: of the term, or the term itself when it is shorter than one. Each costs a look on every shelf, and one that all
 * contacts have (a country code) much more: the four are asked for that are rarest in a sample of all shelves.
 */
const SEARCH = `
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
    question := (SELECT string_agg(concat($q$'$q$, E'\\x1e', replace(replace(g.gram, '\\', '\\\\'), $q$'$q$, $q$''$q$), $q$'$q$), ' & ')
      FROM unnest(grams) AS g(gram)) || CASE WHEN length(term) < 3 THEN ':*' ELSE '' END;

    FOR s IN 1 .. coalesce(cardinality(numbers), 0) LOOP
      EXIT WHEN matches[at_most] COLLATE "C" > newest[s];
      part := contacts.search_shelf(organization, numbers[s], before,
        replace(question, E'\\x1e', right(organization, 6) || to_hex(numbers[s]) || '.')::tsquery, term, coverages, crowd);
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
`;

/** What `Search1764200002000` made. */
const BEFORE = `
  CREATE FUNCTION contacts.search_grams(organization_id text, search_text text) RETURNS tsvector
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
  DECLARE
    filled text := search_text || E'\\x1f\\x1f';
    places integer := length(filled);
    gram text := E'\\x1e' || right(organization_id, 6) || '\\1';
  BEGIN
    RETURN array_to_tsvector(array_remove(string_to_array(
      regexp_replace(left(filled, places / 3 * 3), '(...)', gram, 'g')
        || regexp_replace(substr(filled, 2, (places - 1) / 3 * 3), '(...)', gram, 'g')
        || regexp_replace(substr(filled, 3, (places - 2) / 3 * 3), '(...)', gram, 'g'),
      E'\\x1e'), ''));
  END $$;
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
`;
