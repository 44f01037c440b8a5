/** Finds what of a conversation is still to be sent. Only retries are in it: a send that is not deferred costs nothing. */
export const dispatchConversationIndex = `
  CREATE INDEX dispatch_conversation ON dispatch (organization_id, channel_id, contact_id, message_id)
    WHERE state = 'RETRY';
`;

/** Open dispatches: a row as long as the outcome of an outbound message is open. */
export const dispatchTable = `
  CREATE TABLE dispatch (
    organization_id text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    contact_id text COLLATE "C" NOT NULL,
    recipient_phone text NOT NULL,
    -- DISPATCHING until the lease ends, RETRY until the next attempt, UNKNOWN until the deadline.
    state text NOT NULL CHECK (state IN ('DISPATCHING', 'RETRY', 'UNKNOWN')),
    due_at timestamptz NOT NULL,
    attempts integer NOT NULL,
    -- The right to make the marked attempt: drawn anew with every DISPATCHING.
    lease text NOT NULL,
    PRIMARY KEY (organization_id, message_id)
  ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX dispatch_due ON dispatch (state, due_at);
  -- Retries are looked for channel by channel.
  CREATE INDEX dispatch_retry ON dispatch (organization_id, channel_id, due_at) WHERE state = 'RETRY';
  ${dispatchConversationIndex}
`;

/** Takes `dispatchTable` back. */
export const dispatchTableReversal = 'DROP TABLE dispatch';
