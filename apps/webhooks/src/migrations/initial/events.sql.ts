/**
 * What webhooks carry: the bytes of each event once, whatever the number of webhooks and attempts.
 *
 * `position` is drawn under the lock of the organization's row in `feed`, which is held to the commit: positions become
 * visible in their order, so that a reader never passes by one that is committed later. Partitioned by day of the id.
 */
export const eventTables = `
  CREATE TABLE event (
    organization_id text COLLATE "C" NOT NULL,
    -- data.id of the body.
    id text COLLATE "C" NOT NULL,
    type text NOT NULL,
    -- Whose events are delivered in their order: the conversation; empty for events without an order.
    line text COLLATE "C" NOT NULL,
    body text NOT NULL,
    occurred_at timestamptz NOT NULL,
    stored_at timestamptz NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (id)
  ) PARTITION BY RANGE (id);
  CREATE INDEX event_feed ON event (organization_id, position);

  CREATE TABLE feed (
    organization_id text COLLATE "C" PRIMARY KEY,
    last_position bigint NOT NULL
  ) WITH (fillfactor = 50);

  -- The smallest id of an event that is taken: of the time when this schema was made, so that a consumer that is new does not
  -- begin with what the streams still hold.
  CREATE TABLE beginning (
    event_id text COLLATE "C" PRIMARY KEY
  );
  INSERT INTO beginning VALUES (cuid_floor(now()));
`;

/** Takes `eventTables` back. */
export const eventTablesReversal = 'DROP TABLE beginning, feed, event';
