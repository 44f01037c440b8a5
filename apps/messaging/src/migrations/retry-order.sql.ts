/**
 * `dispatch_order`: what of a conversation is still to be sent, and the conversations of a line. `dispatch_line`: what of a line is
 * due. Only retries are in them: a send that is not deferred costs nothing.
 *
 * The planner is left no choice: organization and channel are one key, and each condition is written in a way of its own, which only the
 * statements that are meant state. With plain columns it took now one, now the other, by what the table had held when it was last
 * analyzed, and read all of a line at each step of a walk. Source: docs/adr/0022-planner.md
 */
export const retryOrderIndexes = `
  CREATE INDEX dispatch_order ON dispatch ((organization_id || ' ' || channel_id), contact_id, message_id)
    WHERE state || '' = 'RETRY';
  CREATE INDEX dispatch_line ON dispatch ((organization_id || ' ' || channel_id), due_at) WHERE '' || state = 'RETRY';
  DROP INDEX dispatch_conversation, dispatch_retry;
`;

/** Takes `retryOrderIndexes` back. */
export const retryOrderIndexesReversal = `
  CREATE INDEX dispatch_conversation ON dispatch (organization_id, channel_id, contact_id, message_id) WHERE state = 'RETRY';
  CREATE INDEX dispatch_retry ON dispatch (organization_id, channel_id, due_at) WHERE state = 'RETRY';
  DROP INDEX dispatch_order, dispatch_line;
`;
