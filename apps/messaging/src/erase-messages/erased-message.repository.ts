import type { ErasureTarget } from '@switchboard/platform';
import { statement, type Database } from '@switchboard/postgres';

/** Messages of a transaction: its locks are short. */
const SLICE_MAX = 500;

/** One a channel, by the index of conversations. */
const conversationsSql = statement<{ id: string }>(
  'messaging.conversation.of-erased',
  `SELECT c.id FROM channel h
   JOIN conversation c ON c.organization_id = h.organization_id AND c.channel_id = h.id AND c.contact_id = $2
   WHERE h.organization_id = $1`,
);
/** By the index of a conversation's messages. */
const eraseSql = statement<{ rows: number; last: string | null }>(
  'messaging.message.erase',
  `WITH slice AS MATERIALIZED (
     SELECT id FROM message
     WHERE (organization_id || ' ' || conversation_id) = $1 || ' ' || $2 AND conversation_id > '' AND id > $3
     ORDER BY id LIMIT $4),
   erased AS (
     UPDATE message m SET text = NULL, client_reference = NULL, metadata = NULL,
       error_message = CASE WHEN m.error_message IS NOT NULL THEN '' END
     FROM slice WHERE m.organization_id = $1 AND m.id = slice.id
       AND (m.text IS NOT NULL OR m.client_reference IS NOT NULL OR m.metadata IS NOT NULL OR m.error_message <> ''))
   SELECT count(*)::int AS rows, max(id) AS last FROM slice`,
);
/** A refusal repeats the words of the upstream; keys are kept for a day. */
const eraseAnswersSql = statement(
  'messaging.idempotency-key.erase',
  `UPDATE idempotency_key k SET response = regexp_replace(k.response, '"message":"([^"\\\\]|\\\\.)*"', '"message":""')
   FROM message m
   WHERE k.organization_id = $1 AND k.status >= 400 AND m.organization_id = $1 AND m.id = k.message_id
     AND m.contact_id = $2`,
);

/** Overwrites what the messages of a contact say: texts, references, metadata and the words of refusals. */
export async function eraseMessages(database: Database, target: ErasureTarget): Promise<void> {
  const { organizationId, contactId } = target;
  for (const conversation of await database.query(conversationsSql, [organizationId, contactId])) {
    for (let behind = ''; ;) {
      const [slice] = await database.query(eraseSql, [organizationId, conversation.id, behind, SLICE_MAX]);
      await target.keepOn();
      if (!slice?.last || slice.rows < SLICE_MAX) break;
      behind = slice.last;
    }
  }
  await database.query(eraseAnswersSql, [organizationId, contactId]);
}
