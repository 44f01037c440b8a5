/** Opt-outs, the channels that they are of, and removals of opt-outs whose callers have not been answered yet. */
export const optOutTables = `
  -- A projection of messaging's channels; default_region is null while only the id is known.
  CREATE TABLE channel (
    organization_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    is_default boolean NOT NULL DEFAULT false,
    default_region text,
    -- Id of the event that the row is from; a later one is newer.
    last_event_id text COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (organization_id, id)
  );

  CREATE TABLE opt_out (
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
  CREATE UNIQUE INDEX opt_out_contact ON opt_out (organization_id, contact_id, channel_id);
  CREATE INDEX opt_out_channel ON opt_out (organization_id, channel_id, id);

  CREATE TABLE unconfirmed_removal (
    organization_id text COLLATE "C" NOT NULL,
    opt_out_id text COLLATE "C" NOT NULL,
    contact_id text COLLATE "C" NOT NULL,
    -- Removals whose callers never ask again are pruned by their age.
    started_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, opt_out_id)
  );
  CREATE INDEX unconfirmed_removal_started ON unconfirmed_removal (started_at);
`;

/** Takes `optOutTables` back. */
export const optOutTablesReversal = 'DROP TABLE unconfirmed_removal, opt_out, channel';
