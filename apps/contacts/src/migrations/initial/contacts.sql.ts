/**
 * Contacts, and everything that one is found by.
 *
 * The conditions of `contact_coverage` and `contact_segment` hold for every row, and only lists and searches state them: no
 * other statement can be planned with these indexes, which on tables that are empty cost what the primary key costs.
 */
export const contactTables = `
  CREATE TABLE contact (
    organization_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    phone text NOT NULL,
    messaging_id text NOT NULL,
    name text,
    email text,
    version bigint NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- How many single channels its opt-outs cover; -1: all of them. Lists of opted-out contacts walk it.
    coverage integer NOT NULL DEFAULT 0,
    -- Statements of the upstream that were applied: changes of number, preferences by channel.
    applied_statements jsonb,
    -- Name, phone and email, folded by the service: the database's idea of upper case depends on how it was made.
    search_text text NOT NULL,
    -- Its number in the order of ids in its organization, and the group of contacts that a search reads at once.
    ordinal integer NOT NULL,
    segment integer NOT NULL GENERATED ALWAYS AS (ordinal / 8192) STORED,
    PRIMARY KEY (organization_id, id)
  ) WITH (fillfactor = 90);
  CREATE INDEX contact_coverage ON contact (organization_id, coverage, id) WHERE coverage >= -1;
  CREATE INDEX contact_segment ON contact (organization_id, segment, id) WHERE segment >= 0;

  -- Every E.164 form of a subscriber and the upstream's ids of persons: its key is what makes concurrent resolves of one
  -- contact meet.
  CREATE TABLE contact_alias (
    organization_id text COLLATE "C" NOT NULL,
    alias text COLLATE "C" NOT NULL,
    contact_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, alias)
  );
  CREATE INDEX contact_alias_contact ON contact_alias (organization_id, contact_id);
`;

/** Takes `contactTables` back. */
export const contactTablesReversal = 'DROP TABLE contact_alias, contact';
