/** Channels: the business's own phone numbers and their accounts at the upstream. */
export const channelTable = `
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
    -- The channel's own words to opt out with.
    opt_out_keywords text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (organization_id, id)
  );
  CREATE UNIQUE INDEX channel_default ON channel (organization_id) WHERE is_default;
  -- Callbacks name the phone number, not the organization.
  CREATE UNIQUE INDEX channel_phone_number_id ON channel (phone_number_id);
  -- An account's preference may name no phone number.
  CREATE INDEX channel_business_account ON channel (business_account_id);
`;

/** Takes `channelTable` back. */
export const channelTableReversal = 'DROP TABLE channel';
