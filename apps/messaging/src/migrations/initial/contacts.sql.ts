/** A projection of the contacts service: what a send and a list need, and which contacts must not be sent to. */
export const contactTables = `
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
    -- Version of the contact that named the phone: it is that contact's as long as the contact is of this version. A phone
    -- of version -1 is asked for when it is next sent to.
    version bigint NOT NULL DEFAULT -1,
    PRIMARY KEY (organization_id, phone)
  );

  -- Contacts that must not be sent to; channel_id '*' stands for every channel.
  CREATE TABLE suppression (
    organization_id text COLLATE "C" NOT NULL,
    contact_id text COLLATE "C" NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    source text NOT NULL CHECK (source IN ('API', 'KEYWORD', 'CONSOLE', 'UPSTREAM')),
    created_at timestamptz NOT NULL DEFAULT now(),
    -- Empty for opt-outs that the contacts service reported; else what messaging observed it by, until contacts has
    -- taken it into account.
    observed_by text COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (organization_id, contact_id, channel_id, observed_by)
  );
`;

/** Takes `contactTables` back. */
export const contactTablesReversal = 'DROP TABLE suppression, contact_phone, contact';
