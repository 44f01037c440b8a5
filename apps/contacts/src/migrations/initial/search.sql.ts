/**
 * The order of an organization's contacts that searches read them in, and the columns of `contact` that hold it.
 *
 * A shelf is about 8,192 contacts of an organization that follow each other by id. A contact's shelf follows from its
 * neighbour's and never changes; those that are inserted at the same moment do not see each other, so shelves may be
 * larger, and overlap where they meet: the search relies on neither.
 */
export const placeFunction = `
  CREATE OR REPLACE FUNCTION place_contact() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    NEW.place := 1 + coalesce((SELECT c.place FROM contact c
      WHERE c.organization_id = NEW.organization_id AND c.id < NEW.id ORDER BY c.id DESC LIMIT 1), -1);
    RETURN NEW;
  END $$;
`;

/** Gives each contact its place; one that brings a place keeps it. */
export const placeTrigger = `
  CREATE TRIGGER contact_place BEFORE INSERT ON contact FOR EACH ROW WHEN (NEW.place IS NULL)
    EXECUTE FUNCTION place_contact();
`;

/**
 * The grams of a contact's text, for the index `contact_search`.
 *
 * The three characters at every place of the text, led by the end of the organization's id and the shelf, so that a search
 * reads the rows of one shelf of one organization. A text's end is filled up, so that one and two characters are the
 * beginning of a gram at every place. Three passes of a regular expression take a quarter of the time of a loop.
 */
export const gramsFunction = `
  CREATE OR REPLACE FUNCTION search_grams(organization_id text, shelf integer, search_text text) RETURNS tsvector
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
`;

/** The index of grams. No list of pending entries: a search would read it for every shelf. */
export const searchIndex = `
  CREATE INDEX contact_search ON contact
    USING gin (search_grams(organization_id, shelf, search_text)) WITH (fastupdate = off);
`;

/**
 * The contacts of one shelf that match, in no order; null when the index yields a crowd, which is read no further.
 *
 * GIN gives bitmaps, which the pools' planner settings exclude. Conditions next to the grams are written with IS TRUE, so
 * that no other index can be chosen.
 */
const SEARCH_SHELF = `
  CREATE OR REPLACE FUNCTION search_shelf(organization text, number integer, before text, grams tsquery, term text,
    coverages integer[], crowd integer)
  RETURNS text[] LANGUAGE plpgsql STABLE
  SET search_path FROM CURRENT SET enable_bitmapscan = on AS $$
  BEGIN
    RETURN (SELECT CASE WHEN count(*) < crowd THEN coalesce(array_agg(candidate.id) FILTER (
          WHERE strpos(candidate.search_text, term) > 0 AND (coverages IS NULL OR candidate.coverage = ANY (coverages))), '{}')
        END
      FROM (SELECT c.id, c.search_text, c.coverage FROM contact c
        WHERE search_grams(c.organization_id, c.shelf, c.search_text) @@ grams
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
  CREATE OR REPLACE FUNCTION search_contacts(organization text, before text, term text, grams text[], coverages integer[],
    at_most integer)
  RETURNS SETOF text LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
  DECLARE
    asked constant integer := 4;
    crowd constant integer := 200;
    top integer := (SELECT c.shelf FROM contact c WHERE c.organization_id = organization AND c.shelf >= 0
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
      CROSS JOIN LATERAL (SELECT c.id FROM contact c
        WHERE c.organization_id = organization AND c.shelf = n.number AND c.shelf >= 0 AND c.id < before
        ORDER BY c.id DESC LIMIT 1) l
      CROSS JOIN LATERAL (SELECT c.id FROM contact c
        WHERE c.organization_id = organization AND c.shelf = n.number AND c.shelf >= 0
        ORDER BY c.id LIMIT 1) f;
    IF cardinality(grams) > asked THEN
      sample := ARRAY(SELECT c.search_text FROM unnest(numbers) AS n(number)
        CROSS JOIN LATERAL (SELECT c.search_text FROM contact c
          WHERE c.organization_id = organization AND c.shelf = n.number AND c.shelf >= 0
          ORDER BY c.id DESC LIMIT 1 + 256 / cardinality(numbers)) c);
      grams := ARRAY(SELECT g.gram FROM unnest(grams) AS g(gram)
        ORDER BY (SELECT count(*) FROM unnest(sample) AS e(search_text) WHERE strpos(e.search_text, g.gram) > 0) LIMIT asked);
    END IF;
    question := (SELECT string_agg(concat($q$'$q$, E'\\x1e', replace(replace(g.gram, '\\', '\\\\'), $q$'$q$, $q$''$q$), $q$'$q$), ' & ')
      FROM unnest(grams) AS g(gram)) || CASE WHEN length(term) < 3 THEN ':*' ELSE '' END;

    FOR s IN 1 .. coalesce(cardinality(numbers), 0) LOOP
      EXIT WHEN matches[at_most] COLLATE "C" > newest[s];
      part := search_shelf(organization, numbers[s], before,
        replace(question, E'\\x1e', right(organization, 6) || to_hex(numbers[s]) || '.')::tsquery, term, coverages, crowd);
      IF part IS NULL AND coverages IS NULL THEN
        part := ARRAY(SELECT c.id FROM contact c
          WHERE c.organization_id = organization AND c.shelf = numbers[s] AND c.shelf >= 0 AND c.id < before
            AND strpos(c.search_text, term) > 0
          ORDER BY c.id DESC LIMIT at_most);
      ELSIF part IS NULL THEN
        part := ARRAY(SELECT found.id FROM unnest(coverages) AS v(coverage)
          CROSS JOIN LATERAL (SELECT c.id FROM contact c
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

/** The functions of the search: `search_contacts`, and `search_shelf` that it reads each shelf by. */
export const searchFunctions = `${SEARCH_SHELF} ${SEARCH}`;

/** Takes the search back, but the columns of `contact`, its index and its trigger, which go with that table. */
export const searchReversal = `
  DROP FUNCTION search_contacts(text, text, text, text[], integer[], integer),
    search_shelf(text, integer, text, tsquery, text, integer[], integer),
    search_grams(text, integer, text), place_contact();
`;
