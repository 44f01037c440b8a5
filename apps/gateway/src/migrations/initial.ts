import { outboxTables } from '@switchboard/outbox';
import { partitionFunctions } from '@switchboard/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The schema's first tables. Lock: none that matters, all is new. Reversal: drop what it made. */
export class Initial1763700000000 implements MigrationInterface {
  name = 'Initial1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(partitionFunctions('gateway'));
    await runner.query(outboxTables('gateway'));
    await runner.query(PLANS);
    await runner.query(ORGANIZATIONS_AND_KEYS);
    await runner.query(RATE_LIMITS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE rate_limit, api_key, organization, plan, dead_letter, inbox, outbox;
      DROP SEQUENCE outbox_position;
      DROP FUNCTION keep_outbox_partitions(integer), ensure_partition(text, timestamptz, timestamptz, text),
        cuid_floor(timestamptz);
    `);
  }
}

/** Source of the numbers: docs/api-behaviour.md#plans. */
const PLANS = `
  CREATE TABLE plan (
    name text COLLATE "C" PRIMARY KEY,
    requests_per_minute integer NOT NULL CHECK (requests_per_minute > 0),
    request_burst integer NOT NULL CHECK (request_burst > 0),
    messages_per_month bigint NOT NULL CHECK (messages_per_month >= 0),
    -- Scopes that the plan does not include: 402 for a key of any kind.
    excluded_scopes text[] NOT NULL,
    channels_max integer NOT NULL,
    seats_max integer NOT NULL
  );
  INSERT INTO plan VALUES
    ('TRIAL', 60, 60, 1000, '{templates:send,analytics:read}', 1, 2),
    ('STARTER', 300, 300, 10000, '{templates:send}', 2, 5),
    ('GROWTH', 6000, 1000, 500000, '{}', 10, 25),
    ('SCALE', 120000, 5000, 50000000, '{}', 100, 500);
`;

const ORGANIZATIONS_AND_KEYS = `
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

  -- last_used_at changes all the time and is in no index: with room on the page such an update touches the row alone.
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
    revoked_at timestamptz
  ) WITH (fillfactor = 70);
  CREATE INDEX api_key_of_organization ON api_key (organization_id, id);
`;

/**
 * Unlogged: a crash of the database empties it, and every organization starts with a full burst. Nothing here is worth a
 * flush of the write-ahead log per request.
 */
const RATE_LIMITS = `
  CREATE UNLOGGED TABLE rate_limit (
    organization_id text COLLATE "C" PRIMARY KEY,
    -- GCRA's theoretical arrival time, microseconds since the Unix epoch.
    theoretical_arrival bigint NOT NULL,
    -- The last batch: when it came, what it asked, under which rate, and how many of its requests passed. The upsert
    -- reads the question from here and leaves the answer here, so that one statement knows both.
    clock bigint NOT NULL,
    asked integer NOT NULL,
    interval bigint NOT NULL,
    burst integer NOT NULL,
    granted integer NOT NULL
  ) WITH (fillfactor = 50);
`;
