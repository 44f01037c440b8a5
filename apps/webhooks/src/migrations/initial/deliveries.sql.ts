/**
 * Deliveries that are pending, the attempts that were made, and the deliveries that were dropped.
 *
 * - `delivery` holds what is PENDING and nothing else, so that a worker's look costs what is pending and not what ever was. Before a
 *   request its attempt is marked in it, with a lease; the end of the attempt removes the row or makes it due again.
 * - `attempt`: an HTTP request and its outcome, written with the end of the attempt. `delivery_state` is what the delivery
 *   became by it: the last attempt is the record of a delivery that ended. Partitioned by day of the id.
 * - `dropped_delivery`: pending deliveries of a webhook that was deactivated.
 */
export const deliveryTables = `
  CREATE TABLE delivery (
    webhook_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    organization_id text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    type text NOT NULL,
    line text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    body_bytes integer NOT NULL,
    kind text NOT NULL CHECK (kind IN ('AUTOMATIC', 'MANUAL', 'REPLAY')),
    -- Ended attempts, those of former rounds (a delivery sent again by hand) included.
    attempts integer NOT NULL DEFAULT 0,
    -- Ended attempts of this round.
    tries integer NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL,
    -- The attempt under way; it is over, whatever becomes known of it, when the lease ends.
    attempt_id text COLLATE "C",
    attempt_at timestamptz,
    lease_until timestamptz,
    PRIMARY KEY (webhook_id, id),
    CHECK ((attempt_id IS NULL) = (attempt_at IS NULL) AND (attempt_id IS NULL) = (lease_until IS NULL))
  ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
  -- First attempts in order, new events before replayed ones.
  CREATE INDEX delivery_first ON delivery (webhook_id, (kind = 'REPLAY'), position)
    WHERE tries = 0 AND attempt_id IS NULL;
  CREATE INDEX delivery_retry ON delivery (webhook_id, due_at) WHERE tries > 0 AND attempt_id IS NULL;
  CREATE INDEX delivery_under_way ON delivery (webhook_id) WHERE attempt_id IS NOT NULL;

  CREATE TABLE attempt (
    webhook_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    organization_id text COLLATE "C" NOT NULL,
    delivery_id text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    type text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('AUTOMATIC', 'MANUAL', 'REPLAY', 'TEST')),
    number integer NOT NULL,
    began_at timestamptz NOT NULL,
    duration_ms integer NOT NULL,
    response_status integer,
    response_body text,
    error text,
    outcome text NOT NULL CHECK (outcome IN ('SUCCEEDED', 'FAILED')),
    delivery_state text NOT NULL CHECK (delivery_state IN ('PENDING', 'SUCCEEDED', 'FAILED', 'DROPPED')),
    PRIMARY KEY (webhook_id, id)
  ) PARTITION BY RANGE (id);
  CREATE INDEX attempt_delivery ON attempt (delivery_id);

  CREATE TABLE dropped_delivery (
    webhook_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    organization_id text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    type text NOT NULL,
    PRIMARY KEY (webhook_id, id)
  ) PARTITION BY RANGE (id);
`;

/** Takes `deliveryTables` back. */
export const deliveryTablesReversal = 'DROP TABLE dropped_delivery, attempt, delivery';
