import type { FactoryProvider } from '@nestjs/common';
import { PruneWorker, type PruneSpec } from '@switchboard/platform';
import { statement, type PruneStatement } from '@switchboard/postgres';

/**
 * Conversations whose last message is of a month that was removed, organization by organization in the order of their lists. One that
 * wakes up by itself later stays until then, and so does one with a message that was sent later under an id of that time. Whoever
 * writes to such a contact afterwards begins another conversation.
 */
const pruneSql: PruneStatement = statement(
  'messaging.conversation.prune',
  `WITH old AS (
     SELECT quiet.organization_id, quiet.id
     FROM (SELECT oldest_message_month() AS id) AS oldest
     CROSS JOIN (SELECT DISTINCT organization_id FROM channel) AS o
     CROSS JOIN LATERAL (SELECT c.organization_id, c.id FROM conversation c
       WHERE c.organization_id = o.organization_id AND c.position < oldest.id
         AND NOT (c.status = 'SNOOZED' AND c.snoozed_until IS NOT NULL)
         AND NOT EXISTS (SELECT FROM message m WHERE m.conversation_id > ''
           AND m.organization_id || ' ' || m.conversation_id = c.organization_id || ' ' || c.id)
       ORDER BY c.position LIMIT $1 FOR UPDATE SKIP LOCKED) AS quiet
     LIMIT $1
   ), pruned AS (
     DELETE FROM conversation c USING old WHERE c.organization_id = old.organization_id AND c.id = old.id RETURNING 1
   )
   SELECT count(*)::int AS count FROM pruned`,
);

/** Conversations without messages. */
export const emptyConversations: PruneSpec = {
  rows: 'conversations',
  statement: pruneSql,
  sliceMax: 500,
  idleMs: 600_000,
};

/** Removes conversations whose messages were removed. @param days for which messages are kept; 0: for ever, and there is no worker */
export function conversationPruners(days: number): FactoryProvider<PruneWorker>[] {
  return days === 0 ? [] : [PruneWorker.provide(emptyConversations)];
}
