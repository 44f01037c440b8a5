/**
 * Webhooks, and how each is delivered to.
 *
 * - `webhook`: the registration, as people change it.
 * - `lane`: how a webhook is delivered to now (`lane.policy.ts`), in a row of its own because it changes with every
 *   outcome. Whoever changes it holds its lock. `owner` is the worker that delivers to the webhook.
 * - `worker`: the processes that deliver. One whose lease has ended owns nothing.
 */
export const webhookTables = `
  CREATE TABLE webhook (
    organization_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    description text,
    secret_sealed bytea NOT NULL,
    -- Signs too, until its time is over.
    previous_secret_sealed bytea,
    previous_secret_until timestamptz,
    -- The smallest id of an event that it is sent: of the time of its registration.
    events_from text COLLATE "C" NOT NULL,
    deactivated_at timestamptz,
    deactivated_reason text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CHECK ((deactivated_at IS NULL) = (deactivated_reason IS NULL)),
    CHECK ((previous_secret_sealed IS NULL) = (previous_secret_until IS NULL))
  );

  CREATE TABLE lane (
    webhook_id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    -- False: the webhook is deactivated, and what is pending is dropped.
    is_open boolean NOT NULL DEFAULT true,
    owner text COLLATE "C",
    -- Requests in flight at most.
    window_max integer NOT NULL DEFAULT 1,
    -- The end of the failure since which single probes are sent; null while none is needed.
    probing_since timestamptz,
    failed_probes integer NOT NULL DEFAULT 0,
    next_probe_at timestamptz,
    -- The receiver asked for a pause: Retry-After.
    held_until timestamptz,
    consecutive_failures integer NOT NULL DEFAULT 0,
    -- The end of the last failure that counted.
    counted_until timestamptz
  ) WITH (fillfactor = 50);
  CREATE INDEX lane_owner ON lane (owner) WHERE owner IS NOT NULL;

  CREATE TABLE worker (
    id text COLLATE "C" PRIMARY KEY,
    lease_until timestamptz NOT NULL
  ) WITH (fillfactor = 50);
`;

/** Takes `webhookTables` back. */
export const webhookTablesReversal = 'DROP TABLE worker, lane, webhook';
