/**
 * The order of an organization's contacts that searches read them in, and the columns of `contact` that hold it.
 *
 * A segment is about 8,192 contacts of an organization that follow each other by id. A contact's segment follows from its
 * neighbour's and never changes; those that are inserted at the same moment do not see each other, so segments may be
 * larger, and overlap where they meet: the search relies on neither.
 */
export const ordinalFunction = `
  CREATE OR REPLACE FUNCTION assign_ordinal() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    NEW.ordinal := 1 + coalesce((SELECT c.ordinal FROM contact c
      WHERE c.organization_id = NEW.organization_id AND c.id < NEW.id ORDER BY c.id DESC LIMIT 1), -1);
    RETURN NEW;
  END $$;
`;

/** Gives each contact its ordinal; one that brings an ordinal keeps it. */
export const ordinalTrigger = `
  CREATE TRIGGER contact_ordinal BEFORE INSERT ON contact FOR EACH ROW WHEN (NEW.ordinal IS NULL)
    EXECUTE FUNCTION assign_ordinal();
`;

/**
 * The grams of a contact's text, for the index `contact_search`.
 *
 * The three characters at every place of the text, led by the end of the organization's id and the segment, so that a search
 * reads the rows of one segment of one organization. A text's end is filled up, so that one and two characters are the
 * beginning of a gram at every place. Three passes of a regular expression take a quarter of the time of a loop.
 */
export const gramsFunction = `
  CREATE OR REPLACE FUNCTION search_grams(organization_id text, segment integer, search_text text) RETURNS tsvector
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
  DECLARE
    filled text := search_text || E'\\x1f\\x1f';
    places integer := length(filled);
    gram text := E'\\x1e' || right(organization_id, 6) || to_hex(segment) || '.\\1';
  BEGIN
    RETURN array_to_tsvector(array_remove(string_to_array(
      regexp_replace(left(filled, places / 3 * 3), '(...)', gram, 'g')
        || regexp_replace(substr(filled, 2, (places - 1) / 3 * 3), '(...)', gram, 'g')
        || regexp_replace(substr(filled, 3, (places - 2) / 3 * 3), '(...)', gram, 'g'),
      E'\\x1e'), ''));
  END $$;
`;

/** The index of grams. No list of pending entries: a search would read it for every segment. */
export const searchIndex = `
  CREATE INDEX contact_search ON contact
    USING gin (search_grams(organization_id, segment, search_text)) WITH (fastupdate = off);
`;

/**
 * The contacts of one segment that match, in no order; null when the index yields a crowd, which is read no further.
 *
 * GIN gives bitmaps, which the pools' planner settings exclude. Conditions next to the grams are written with IS TRUE, so
 * that no other index can be chosen.
 */
const SEARCH_SEGMENT = `
  CREATE OR REPLACE FUNCTION search_segment(organization text, number integer, before text, grams tsquery, term text,
    coverages integer[], crowd integer)
  RETURNS text[] LANGUAGE plpgsql STABLE
  SET search_path FROM CURRENT SET enable_bitmapscan = on AS $$
  BEGIN
    RETURN (SELECT CASE WHEN count(*) < crowd THEN coalesce(array_agg(candidate.id) FILTER (
          WHERE strpos(candidate.search_text, term) > 0 AND (coverages IS NULL OR candidate.coverage = ANY (coverages))), '{}')
        END
      FROM (SELECT c.id, c.search_text, c.coverage FROM contact c
        WHERE search_grams(c.organization_id, c.segment, c.search_text) @@ grams
          AND (c.organization_id = organization) IS TRUE AND (c.segment = number) IS TRUE AND (c.id < before) IS TRUE
        LIMIT crowd) candidate);
  END $$;
`;

/**
 * The newest contacts that match, below an id. Segments are read from the newest on, and no further than the page reaches;
 * where the index yields a crowd, the segment is walked instead: half a microsecond a contact, and a crowd fills a page.
 *
 * grams: of the term, or the term itself when it is shorter than one. Each costs a look on every segment, and one that all
 * contacts have (a country code) much more: the four are asked for that are rarest in a sample of all segments.
 */
const SEARCH = `
  CREATE OR REPLACE FUNCTION search_contacts(organization text, before text, term text, grams text[], coverages integer[],
    at_most integer)
  RETURNS SETOF text LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
  DECLARE
    asked constant integer := 4;
    crowd constant integer := 200;
    top integer := (SELECT c.segment FROM contact c WHERE c.organization_id = organization AND c.segment >= 0
      ORDER BY c.segment DESC LIMIT 1);
    -- By segment, in the order of its newest contact below the id.
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
        WHERE c.organization_id = organization AND c.segment = n.number AND c.segment >= 0 AND c.id < before
        ORDER BY c.id DESC LIMIT 1) l
      CROSS JOIN LATERAL (SELECT c.id FROM contact c
        WHERE c.organization_id = organization AND c.segment = n.number AND c.segment >= 0
        ORDER BY c.id LIMIT 1) f;
    IF cardinality(grams) > asked THEN
      sample := ARRAY(SELECT c.search_text FROM unnest(numbers) AS n(number)
        CROSS JOIN LATERAL (SELECT c.search_text FROM contact c
          WHERE c.organization_id = organization AND c.segment = n.number AND c.segment >= 0
          ORDER BY c.id DESC LIMIT 1 + 256 / cardinality(numbers)) c);
      grams := ARRAY(SELECT g.gram FROM unnest(grams) AS g(gram)
        ORDER BY (SELECT count(*) FROM unnest(sample) AS e(search_text) WHERE strpos(e.search_text, g.gram) > 0) LIMIT asked);
    END IF;
    question := (SELECT string_agg(concat($q$'$q$, E'\\x1e', replace(replace(g.gram, '\\', '\\\\'), $q$'$q$, $q$''$q$), $q$'$q$), ' & ')
      FROM unnest(grams) AS g(gram)) || CASE WHEN length(term) < 3 THEN ':*' ELSE '' END;

    FOR s IN 1 .. coalesce(cardinality(numbers), 0) LOOP
      EXIT WHEN matches[at_most] COLLATE "C" > newest[s];
      part := search_segment(organization, numbers[s], before,
        replace(question, E'\\x1e', right(organization, 6) || to_hex(numbers[s]) || '.')::tsquery, term, coverages, crowd);
      IF part IS NULL AND coverages IS NULL THEN
        part := ARRAY(SELECT c.id FROM contact c
          WHERE c.organization_id = organization AND c.segment = numbers[s] AND c.segment >= 0 AND c.id < before
            AND strpos(c.search_text, term) > 0
          ORDER BY c.id DESC LIMIT at_most);
      ELSIF part IS NULL THEN
        part := ARRAY(SELECT found.id FROM unnest(coverages) AS v(coverage)
          CROSS JOIN LATERAL (SELECT c.id FROM contact c
            WHERE c.organization_id = organization AND c.coverage = v.coverage AND c.coverage >= -1
              AND c.id < before AND c.id >= oldest[s] AND c.id <= newest[s] AND (c.segment = numbers[s]) IS TRUE
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

/** The functions of the search: `search_contacts`, and `search_segment` that it reads each segment by. */
export const searchFunctions = `${SEARCH_SEGMENT} ${SEARCH}`;

/** Takes the search back, but the columns of `contact`, its index and its trigger, which go with that table. */
export const searchReversal = `
  DROP FUNCTION search_contacts(text, text, text, text[], integer[], integer),
    search_segment(text, integer, text, tsquery, text, integer[], integer),
    search_grams(text, integer, text), assign_ordinal();
`;
