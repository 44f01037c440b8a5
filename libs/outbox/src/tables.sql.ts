import { eventFailureTable } from './event-failures.js';
import { retentionFunctions, retentionFunctionsReversal } from './retention.sql.js';

/**
 * DDL of outbox, inbox, dead letters and the relay's state, for a service's initial migration (after `partitionFunctions`).
 *
 * - `outbox`: an event per row, in the transaction of the change that it reports. `position` grows within an aggregate,
 *   because it is drawn under the aggregate's lock. Partitioned by day of its id. `published_at` and its index are what
 *   `pendingTable` replaces in a later migration.
 * - `inbox`: what a consumer has applied, in the transaction of its effect; kept two days longer than the outbox, so that
 *   what is replayed on the outbox's last day is still known to it.
 * - `dead_letter`: events that a consumer could not apply, with the last error; neighbours went on.
 *   `redrive_requested_at`: an operator has asked for another try.
 * - `event_failure`: how often an event failed by itself; see `eventFailureTable`.
 * - `relay_state`: which stream the relay has published to, and how far; a stream that is younger, or shorter, was lost.
 *   `epoch` grows with every loss and fences off a relay that has not noticed it. `replay_from`: the id after which
 *   published events are still to be made pending again; null when there are none.
 */
export const outboxTables = `
  CREATE SEQUENCE outbox_position;
  CREATE TABLE outbox (
    id text COLLATE "C" NOT NULL,
    position bigint NOT NULL DEFAULT nextval('outbox_position'),
    aggregate_id text NOT NULL,
    subject text NOT NULL,
    payload text NOT NULL,
    traceparent text,
    published_at timestamptz,
    PRIMARY KEY (id)
  ) PARTITION BY RANGE (id);
  CREATE INDEX outbox_unpublished ON outbox (position) WHERE published_at IS NULL;

  CREATE TABLE inbox (
    event_id text COLLATE "C" NOT NULL,
    consumer text NOT NULL,
    PRIMARY KEY (event_id, consumer)
  ) PARTITION BY RANGE (event_id);

  CREATE TABLE dead_letter (
    event_id text COLLATE "C" NOT NULL,
    consumer text NOT NULL,
    subject text NOT NULL,
    envelope text NOT NULL,
    error text NOT NULL,
    deliveries integer NOT NULL,
    died_at timestamptz NOT NULL DEFAULT now(),
    redrive_requested_at timestamptz,
    PRIMARY KEY (event_id, consumer)
  );
  CREATE INDEX dead_letter_redrive ON dead_letter (consumer, event_id) WHERE redrive_requested_at IS NOT NULL;

  ${eventFailureTable}
  CREATE TABLE relay_state (
    stream text COLLATE "C" PRIMARY KEY,
    -- The broker's own word for when the stream was made, compared and never read.
    created text NOT NULL,
    last_sequence bigint NOT NULL,
    epoch integer NOT NULL DEFAULT 1,
    replay_from text COLLATE "C"
  ) WITH (fillfactor = 50);

  ${retentionFunctions}
  SELECT keep_outbox_partitions(8);
`;

/** Takes `outboxTables` back, events and all. */
export const outboxTablesReversal = `
  ${retentionFunctionsReversal}
  DROP TABLE relay_state, event_failure, dead_letter, inbox, outbox;
  DROP SEQUENCE outbox_position;
`;

/** Columns of `outboxTables` that name people, or hold their words: the aggregate of a callback is «line:person». */
export const personalOutboxColumns = {
  outbox: ['aggregate_id', 'payload'],
  dead_letter: ['envelope', 'error'],
} as const;
