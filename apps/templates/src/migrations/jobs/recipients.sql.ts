/**
 * Recipients, and what is staged of jobs that are not there yet.
 *
 * A recipient is written once, under its job's id, before there is a job: the row of the job makes all of them visible. The
 * only index is the primary key, so that a change of status stays within its page (HOT).
 */
export const recipientTables = `
  CREATE TABLE recipient (
    organization_id text COLLATE "C" NOT NULL,
    job_id text COLLATE "C" NOT NULL,
    index integer NOT NULL,
    -- E.164 of the form that was given; of a staged national form the text as written, until the channel is known.
    phone text NOT NULL,
    -- The canonical form of the subscriber.
    subscriber text,
    -- JSON: an array or an object; null: none.
    variables text,
    client_reference text,
    -- JSON; null: none.
    metadata text,
    status text NOT NULL DEFAULT 'QUEUED',
    reason text,
    message_id text COLLATE "C",
    PRIMARY KEY (organization_id, job_id, index)
  ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

  CREATE TABLE staged_job (
    organization_id text COLLATE "C" NOT NULL,
    job_id text COLLATE "C" NOT NULL,
    has_place boolean NOT NULL,
    is_abandoned boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, job_id)
  );
  -- Of all organizations: the oldest are removed first.
  CREATE INDEX staged_job_age ON staged_job (created_at);

  CREATE TABLE staged_chunk (
    organization_id text COLLATE "C" NOT NULL,
    job_id text COLLATE "C" NOT NULL,
    first_index integer NOT NULL,
    recipients integer NOT NULL,
    -- JSON: the kinds of variables in it, each with an example and its first indexes.
    shapes text NOT NULL,
    -- Recipients whose number cannot be read without a region.
    unread integer[] NOT NULL,
    staged_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, job_id, first_index)
  );
`;

/** Takes `recipientTables` back. */
export const recipientTablesReversal = 'DROP TABLE staged_chunk, staged_job, recipient';

/**
 * Keys of batches. A key is claimed before its batch is judged, so that twins wait; the job makes it a key of that job.
 *
 * Both kinds are SHA-256 in raw bytes; `kind` separates them.
 */
export const jobKeyTable = `
  CREATE TABLE job_key (
    organization_id text COLLATE "C" NOT NULL,
    kind text NOT NULL CHECK (kind IN ('explicit', 'derived')),
    sha256 bytea NOT NULL CHECK (length(sha256) = 32),
    body_sha256 bytea NOT NULL CHECK (length(body_sha256) = 32),
    job_id text COLLATE "C" NOT NULL,
    is_live boolean NOT NULL DEFAULT false,
    -- Of a claim: from then on another request may take the key. Of a derived key: until then it answers its job.
    -- Null: as long as the job.
    until timestamptz,
    PRIMARY KEY (organization_id, kind, sha256)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
  -- Of all organizations: keys that are over are pruned in the order of their end.
  CREATE INDEX job_key_until ON job_key (until) WHERE until IS NOT NULL;
`;

/** Takes `jobKeyTable` back. */
export const jobKeyTableReversal = 'DROP TABLE job_key';
