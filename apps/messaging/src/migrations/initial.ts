import { outboxTables } from '@switchboard/outbox';
import { partitionFunctions } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The schema's first tables. Lock: none that matter, all is new. Reversal: drop what it made. */
export class Initial1763700000000 implements MigrationInterface {
  name = 'Initial1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(partitionFunctions('messaging'));
    await runner.query(outboxTables('messaging'));
    await runner.query(CHANNELS_AND_CONTACTS);
    await runner.query(CONVERSATIONS_AND_MESSAGES);
    await runner.query(MESSAGE_PARTITIONS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE dispatch, upstream_message, message, conversation, suppression, contact_phone, contact, channel,
        dead_letter, inbox, outbox;
      DROP SEQUENCE outbox_position;
      DROP FUNCTION keep_message_partitions(), keep_outbox_partitions(integer),
        ensure_partition(text, timestamptz, timestamptz, text), cuid_floor(timestamptz);
    `);
  }
}

const CHANNELS_AND_CONTACTS = `
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
    PRIMARY KEY (organization_id, id)
  );
  CREATE UNIQUE INDEX channel_default ON channel (organization_id) WHERE is_default;
  -- Callbacks name the line, not the organization.
  CREATE UNIQUE INDEX channel_phone_number_id ON channel (phone_number_id);

  -- A projection of the contacts service: what a send and a list need.
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
    PRIMARY KEY (organization_id, phone)
  );

  -- Who must not be sent to; channel_id '*' stands for every channel.
  CREATE TABLE suppression (
    organization_id text COLLATE "C" NOT NULL,
    contact_id text COLLATE "C" NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    source text NOT NULL CHECK (source IN ('API', 'KEYWORD', 'CONSOLE', 'UPSTREAM')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, contact_id, channel_id)
  );
`;

const CONVERSATIONS_AND_MESSAGES = `
  CREATE TABLE conversation (
    organization_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    contact_id text COLLATE "C" NOT NULL,
    status text NOT NULL CHECK (status IN ('OPEN', 'CLOSED', 'PENDING', 'ARCHIVED', 'SNOOZED')),
    -- 'c', the last message's time, the id's random part: order and cursor of lists.
    position text COLLATE "C" NOT NULL,
    last_message_at timestamptz,
    -- Number of the last event told; grows under this row's lock.
    event_sequence bigint NOT NULL,
    -- The message (or actor) that last moved the conversation into OPEN.
    opened_by text COLLATE "C",
    PRIMARY KEY (organization_id, id)
  ) WITH (fillfactor = 80);
  CREATE UNIQUE INDEX conversation_of_contact ON conversation (organization_id, channel_id, contact_id);
  CREATE INDEX conversation_position ON conversation (organization_id, position);
  CREATE INDEX conversation_status_position ON conversation (organization_id, status, position);

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
    -- The earliest time told of each kind; what the API shows is derived (message-progress.policy).
    sent_at timestamptz,
    delivered_at timestamptz,
    read_at timestamptz,
    failed_at timestamptz,
    -- Of the request that sent it: callbacks go on in its trace, and logs of both have one id.
    traceparent text,
    PRIMARY KEY (organization_id, id)
  ) PARTITION BY RANGE (id);

  -- Callbacks without our reference, and inbound messages told twice, are found by the upstream's id.
  CREATE TABLE upstream_message (
    channel_id text COLLATE "C" NOT NULL,
    upstream_message_id text COLLATE "C" NOT NULL,
    organization_id text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (channel_id, upstream_message_id)
  );

  -- A row as long as what became of an outbound message is open.
  CREATE TABLE dispatch (
    organization_id text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    contact_id text COLLATE "C" NOT NULL,
    recipient_phone text NOT NULL,
    -- DISPATCHING until the lease ends, RETRY until the next attempt, UNKNOWN until the deadline.
    state text NOT NULL CHECK (state IN ('DISPATCHING', 'RETRY', 'UNKNOWN')),
    due_at timestamptz NOT NULL,
    attempts integer NOT NULL,
    -- Who may make the attempt that is marked: drawn anew with every DISPATCHING.
    lease text NOT NULL,
    PRIMARY KEY (organization_id, message_id)
  ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX dispatch_due ON dispatch (state, due_at);
`;

const MESSAGE_PARTITIONS = `
  CREATE FUNCTION keep_message_partitions() RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = messaging, pg_temp AS $$
  DECLARE
    this_month timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
    month timestamptz;
  BEGIN
    FOR offset_months IN -1..3 LOOP
      month := this_month + make_interval(months => offset_months);
      PERFORM ensure_partition('message', month, month + interval '1 month', to_char(month AT TIME ZONE 'UTC', 'YYYYMM'));
    END LOOP;
  END $$;
  REVOKE ALL ON FUNCTION keep_message_partitions() FROM PUBLIC;
  SELECT keep_message_partitions();
`;
