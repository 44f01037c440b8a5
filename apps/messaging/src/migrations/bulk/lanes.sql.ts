/**
 * Lanes of bulk sends: recipients that lie in messaging before they are messages, and the pace at which they begin.
 *
 * `channel_pace` and `bulk_lane` are written with every claim, a few times a second each: room on their pages, and what
 * changes with a claim is in no index but `channel_pace_look`, whose table has a row for each channel.
 */
export const laneTables = `
  CREATE TABLE channel_pace (
    organization_id text COLLATE "C" NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    -- Attempts a second; null: the default.
    per_second real CHECK (per_second > 0),
    -- What the upstream's limits leave of it, of 1; see channel-pace.policy.
    share real NOT NULL DEFAULT 1 CHECK (share > 0 AND share <= 1),
    share_changed_at timestamptz NOT NULL DEFAULT '-infinity',
    -- The next attempt of the background may begin then.
    next_begin_at timestamptz NOT NULL DEFAULT '-infinity',
    -- When a claim is worth a look; infinity: nothing waits.
    look_at timestamptz NOT NULL DEFAULT 'infinity',
    -- The process that paces the channel, as long as it keeps looking.
    owner text,
    owned_until timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (organization_id, channel_id)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX channel_pace_look ON channel_pace (look_at);

  CREATE TABLE bulk_lane (
    organization_id text COLLATE "C" NOT NULL,
    job_id text COLLATE "C" NOT NULL,
    -- Null as long as there was an action and no batch.
    channel_id text COLLATE "C",
    throttle_per_hour integer CHECK (throttle_per_hour > 0),
    is_paused boolean NOT NULL DEFAULT false,
    is_withdrawn boolean NOT NULL DEFAULT false,
    held_reason text CHECK (held_reason IN ('TEMPLATE_NOT_APPROVED', 'CHANNEL_DISCONNECTED', 'QUOTA', 'SUBSCRIPTION',
      'SPAM_LIMIT', 'CHANNEL_BLOCKED')),
    next_begin_at timestamptz NOT NULL DEFAULT '-infinity',
    -- The process that began its last attempts: its successor keeps a distance.
    owner text,
    begun bigint NOT NULL DEFAULT 0,
    -- Of the job.
    finished_at timestamptz,
    -- False when the job has finished and none of its messages is to be sent again: the rest is deleted some days later.
    is_open boolean NOT NULL DEFAULT true,
    PRIMARY KEY (organization_id, job_id)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX bulk_lane_channel ON bulk_lane (organization_id, channel_id) WHERE is_open;
  CREATE INDEX bulk_lane_finished ON bulk_lane (is_open, finished_at) WHERE finished_at IS NOT NULL;

  -- A row for each recipient that was handed over, for as long as its job may hand it over again.
  CREATE TABLE bulk_item (
    organization_id text COLLATE "C" NOT NULL,
    job_id text COLLATE "C" NOT NULL,
    recipient_index integer NOT NULL CHECK (recipient_index >= 0),
    message_id text COLLATE "C" NOT NULL,
    state text NOT NULL DEFAULT 'WAITING' CHECK (state IN ('WAITING', 'BEGUN', 'SKIPPED')),
    -- False: contacts is asked for the phone before its turn.
    is_contact_known boolean NOT NULL,
    -- E.164 as given.
    phone text COLLATE "C" NOT NULL,
    -- What the message will be; null once it is one, or never will be.
    content jsonb,
    expires_at timestamptz,
    PRIMARY KEY (organization_id, job_id, recipient_index)
  ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
  CREATE INDEX bulk_item_waiting ON bulk_item (organization_id, job_id, recipient_index)
    WHERE state = 'WAITING' AND is_contact_known;
  CREATE INDEX bulk_item_unknown ON bulk_item (organization_id, job_id, recipient_index)
    WHERE state = 'WAITING' AND NOT is_contact_known;

  -- Attempts of bulk messages, each with the time for which it was claimed: what a throttle is held to. One that provably
  -- never began is taken out again.
  CREATE TABLE attempt_begun (
    organization_id text COLLATE "C" NOT NULL,
    job_id text COLLATE "C" NOT NULL,
    begun_at timestamptz NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, job_id, begun_at, message_id)
  );
`;

/** Takes `laneTables` back. */
export const laneTablesReversal = 'DROP TABLE attempt_begun, bulk_item, bulk_lane, channel_pace';
