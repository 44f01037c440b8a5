/**
 * Messages, partitioned by month of their id.
 *
 * `message_page` serves the messages of a conversation, newest first. The planner is left no choice. Organization and
 * conversation are one key, so that the page has no other index to go by. The condition always holds and only the page
 * states it, so that look-ups by id on the hot paths cannot go by this one. Source: docs/adr/0017-lists.md
 */
export const messageTables = `
  CREATE TABLE message (
    organization_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    contact_id text COLLATE "C" NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    direction text NOT NULL CHECK (direction IN ('OUTBOUND', 'INBOUND')),
    type text NOT NULL CHECK (type IN ('TEXT', 'TEMPLATE', 'UNSUPPORTED')),
    unsupported_type text,
    text text,
    template jsonb,
    status text NOT NULL CHECK (status IN ('QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'RECEIVED')),
    upstream_message_id text,
    error_code text,
    error_message text,
    -- Start of the last attempt, by the database's clock; what sent_at becomes.
    attempted_at timestamptz,
    -- The earliest time reported of each kind; what the API shows is derived (message-progress.policy).
    sent_at timestamptz,
    delivered_at timestamptz,
    read_at timestamptz,
    failed_at timestamptz,
    -- Of the request that sent it: callbacks go on in its trace, and logs of both have one id.
    traceparent text,
    PRIMARY KEY (organization_id, id)
  ) PARTITION BY RANGE (id);
  CREATE INDEX message_page ON message ((organization_id || ' ' || conversation_id), id) WHERE conversation_id > '';

  -- Callbacks without our reference, and inbound messages that are reported twice, are found by the upstream's id.
  CREATE TABLE upstream_message (
    channel_id text COLLATE "C" NOT NULL,
    upstream_message_id text COLLATE "C" NOT NULL,
    organization_id text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (channel_id, upstream_message_id)
  );
`;

/** Takes `messageTables` back. */
export const messageTablesReversal = 'DROP TABLE upstream_message, message';
