/** The plans that an organization may have. Source: docs/api-behaviour.md#plans. */
export const planTable = `
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

/** Takes `planTable` back. */
export const planTableReversal = 'DROP TABLE plan';

/**
 * State of the request rate limit, a row per organization.
 *
 * Unlogged: a crash of the database empties it, and every organization starts with a full burst. Nothing here is worth a
 * flush of the write-ahead log per request.
 */
export const rateLimits = `
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

/** Takes `rateLimits` back. */
export const rateLimitsReversal = 'DROP TABLE rate_limit';
