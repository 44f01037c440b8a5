/**
 * Conversations, and the indexes of their lists.
 *
 * `conversation_branch` serves lists by status, by channel and by both: such a list is merged from one ordered branch for
 * each channel and status asked for. What names a branch is one key, so that the planner has no choice, as with
 * `message_page`. A message moves its conversation in every index there is, so there are no more of them. Source:
 * docs/adr/0017-lists.md
 */
export const conversationTable = `
  CREATE TABLE conversation (
    organization_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    channel_id text COLLATE "C" NOT NULL,
    contact_id text COLLATE "C" NOT NULL,
    status text NOT NULL CHECK (status IN ('OPEN', 'CLOSED', 'PENDING', 'ARCHIVED', 'SNOOZED')),
    -- 'c', the last message's time, the id's random part: order and cursor of lists.
    position text COLLATE "C" NOT NULL,
    last_message_at timestamptz,
    -- Number of the last event; grows under this row's lock.
    event_sequence bigint NOT NULL,
    -- The message (or actor) that last moved the conversation into OPEN.
    opened_by text COLLATE "C",
    -- When a SNOOZED conversation returns to OPEN.
    snoozed_until timestamptz,
    PRIMARY KEY (organization_id, id)
  ) WITH (fillfactor = 80);
  CREATE UNIQUE INDEX conversation_of_contact ON conversation (organization_id, channel_id, contact_id);
  CREATE INDEX conversation_position ON conversation (organization_id, position);
  CREATE INDEX conversation_branch
    ON conversation ((organization_id || ' ' || channel_id || ' ' || status), position);
  CREATE INDEX conversation_snoozed ON conversation (snoozed_until)
    WHERE status = 'SNOOZED' AND snoozed_until IS NOT NULL;
`;

/** Takes `conversationTable` back. */
export const conversationTableReversal = 'DROP TABLE conversation';
