/**
 * Organizations and their API keys.
 *
 * `api_key.last_used_at` changes all the time and is in no index: with room on the page such an update touches the row alone.
 */
export const organizationTables = `
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
    revoked_at timestamptz,
    -- Keys outlive the membership of their maker.
    created_by_email text
  ) WITH (fillfactor = 70);
  CREATE INDEX api_key_of_organization ON api_key (organization_id, id);
`;

/** Takes `organizationTables` back. */
export const organizationTablesReversal = 'DROP TABLE api_key, organization';
