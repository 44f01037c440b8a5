import { stopSampling } from '@switchboard/postgres';

/**
 * Statuses whose message is not known yet, for the minute in which they are looked for again. Of a status only what it
 * says of a message is kept; words of a refusal may name a number.
 */
export const waitingStatusTable = `
  CREATE TABLE waiting_status (
    -- Of the event that brought it.
    event_id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    upstream_message_id text COLLATE "C" NOT NULL,
    -- The message, where the status names it.
    message_id text COLLATE "C",
    -- JSON of a \`ProgressFact\`.
    fact text NOT NULL,
    traceparent text,
    -- Looks that did not find the message.
    looks integer NOT NULL,
    due_at timestamptz NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0.05);
  CREATE INDEX waiting_status_due ON waiting_status (organization_id, due_at);
  ${stopSampling({ waiting_status: ['fact'] })}
`;

/** Takes `waitingStatusTable` back. */
export const waitingStatusTableReversal = 'DROP TABLE waiting_status';
