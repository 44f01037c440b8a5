/**
 * Jobs, one row each, and what says how far they are.
 *
 * `job` changes a few times in its life. `job_feed` is written at every hand-over to messaging; `job_count` takes what
 * outcomes change, in shards, so that no transaction waits for the row of a large job. The sum of a job's shards is its
 * recipients by status at any moment: each transaction adds changes that cancel each other out.
 */
export const jobTables = `
  CREATE TABLE job (
    organization_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    template_id text COLLATE "C" NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    throttle_per_hour integer,
    total integer NOT NULL CHECK (total > 0),
    -- Without duplicates: what counts against the quota of the month.
    reserved integer NOT NULL,
    quota_month text NOT NULL,
    state text NOT NULL DEFAULT 'ACTIVE' CHECK (state IN ('ACTIVE', 'COMPLETED', 'CANCELED')),
    is_paused boolean NOT NULL DEFAULT false,
    -- Causes for which it holds itself, all that there are now.
    holds text[] NOT NULL DEFAULT '{}',
    -- When the last of them began.
    held_at timestamptz,
    scheduled_at timestamptz,
    started_at timestamptz,
    finished_at timestamptz,
    -- Of a cancelled job: recipients from this index on were never taken up; they are SKIPPED whatever their row says.
    canceled_from integer,
    -- Of a cancelled job: recipients from this index on have quota to give back; null: none.
    release_from integer,
    PRIMARY KEY (organization_id, id)
  ) WITH (fillfactor = 50);
  CREATE INDEX job_active ON job (organization_id, channel_id) WHERE state = 'ACTIVE';
  CREATE INDEX job_release ON job (organization_id, id) WHERE release_from IS NOT NULL;

  CREATE TABLE job_feed (
    organization_id text COLLATE "C" NOT NULL,
    job_id text COLLATE "C" NOT NULL,
    -- Recipients below were handed over, or need not be.
    fed_to integer NOT NULL DEFAULT 0,
    -- Recipients below have their message's id and may have been handed over.
    claimed_to integer NOT NULL DEFAULT 0,
    -- When it is looked at next; moved ahead by the replica that takes it, so that one that dies holds it up for no longer.
    -- Null: not before the job goes on, or never.
    due_at timestamptz,
    -- Of the replica that took it last.
    lease text COLLATE "C",
    failures integer NOT NULL DEFAULT 0,
    -- Attempts a second that its lane may begin, and those that it began since the mark.
    lane_per_second double precision,
    begun_per_second double precision,
    marked_at timestamptz,
    marked_begun integer,
    PRIMARY KEY (organization_id, job_id)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
  -- Of all organizations: the longest due first.
  CREATE INDEX job_feed_due ON job_feed (due_at) WHERE due_at IS NOT NULL;

  CREATE TABLE job_count (
    organization_id text COLLATE "C" NOT NULL,
    job_id text COLLATE "C" NOT NULL,
    shard smallint NOT NULL,
    queued integer NOT NULL,
    unconfirmed integer NOT NULL,
    sent integer NOT NULL,
    delivered integer NOT NULL,
    read integer NOT NULL,
    failed integer NOT NULL,
    skipped integer NOT NULL,
    -- When a recipient left QUEUED last.
    settled_at timestamptz,
    PRIMARY KEY (organization_id, job_id, shard)
  ) WITH (fillfactor = 30, autovacuum_vacuum_scale_factor = 0.05);

  -- Actions that the lanes of jobs have still to be given, in their order.
  CREATE TABLE lane_order (
    organization_id text COLLATE "C" NOT NULL,
    job_id text COLLATE "C" NOT NULL,
    -- A text for each: the action, or the action and its reason with a colon between.
    actions text[] NOT NULL,
    due_at timestamptz NOT NULL DEFAULT now(),
    lease text COLLATE "C",
    failures integer NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, job_id)
  ) WITH (fillfactor = 50);
  -- Of all organizations: the longest due first.
  CREATE INDEX lane_order_due ON lane_order (due_at);
`;

/** Takes `jobTables` back. */
export const jobTablesReversal = 'DROP TABLE lane_order, job_count, job_feed, job';
