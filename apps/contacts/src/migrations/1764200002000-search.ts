import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What contacts are searched in, and its index.
 *
 * Lock: ACCESS EXCLUSIVE on `contact` while every row is written and the index is built, half a minute per million rows.
 * Reversal: drops what it made.
 */
export class Search1764200002000 implements MigrationInterface {
  readonly name = 'Search1764200002000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TEXT);
    await runner.query(GRAMS);
    await runner.query(SEARCH);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION contacts.search_contacts;
      DROP INDEX contacts.contact_search;
      DROP FUNCTION contacts.search_grams;
      ALTER TABLE contacts.contact DROP COLUMN search_text;
    `);
  }
}

/** Name, phone and email, folded by the service: the database's idea of upper case depends on how it was made. */
const TEXT = `
  ALTER TABLE contacts.contact ADD COLUMN search_text text NOT NULL DEFAULT '';
  UPDATE contacts.contact
    SET search_text = upper(coalesce(name, '')) || E'\\x1f' || phone || E'\\x1f' || upper(coalesce(email, ''));
  ALTER TABLE contacts.contact ALTER COLUMN search_text DROP DEFAULT;
`;

/**
 * The three characters at every place of the text, led by the end of the organization's id, so that no organization's
 * rows are read in a search of another. What stands at a text's end is filled up, so that one and two characters are the
 * beginning of a gram wherever they stand. Three passes of a regular expression take a quarter of the time of a loop.
 */
const GRAMS = `
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

  -- A short list of what is not in the index proper yet: every search reads all of it.
  CREATE INDEX contact_search ON contacts.contact USING gin (contacts.search_grams(organization_id, search_text))
    WITH (fastupdate = on, gin_pending_list_limit = 256);
`;

/**
 * The newest contacts that match, by the index of grams and no other: the pools' planner settings know no bitmaps, which
 * are all that such an index gives, and conditions that stand bare would let the planner read a whole organization by its
 * key instead.
 */
const SEARCH = `
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
