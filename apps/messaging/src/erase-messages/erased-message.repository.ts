import { ERASED } from '@switchboard/contracts/messaging/code-words';
import { inSlices, type ErasureTarget, type Slice } from '@switchboard/platform';
import { statement, type Database } from '@switchboard/postgres';

/** Messages of a transaction: its locks are short. */
const SLICE_MAX = 500;
/** Keys that are looked at in one statement. */
const KEYS_MAX = 5_000;

/** One a channel, by the index of conversations. */
const conversationsSql = statement<{ id: string }>(
  'messaging.conversation.of-erased',
  `SELECT c.id FROM channel h
   JOIN conversation c ON c.organization_id = h.organization_id AND c.channel_id = h.id AND c.contact_id = $2
   WHERE h.organization_id = $1`,
);
/** By the index of a conversation's messages. What the erasure itself wrote as the reason of a failure stays. */
const eraseSql = statement<Slice<string>>(
  'messaging.message.erase',
  `WITH slice AS MATERIALIZED (
     SELECT id FROM message
     WHERE (organization_id || ' ' || conversation_id) = $1 || ' ' || $2 AND conversation_id > '' AND id > $3
     ORDER BY id LIMIT $4),
   erased AS (
     UPDATE message m SET text = NULL, client_reference = NULL, metadata = NULL,
       error_message = CASE WHEN m.error_code = '${ERASED}' THEN m.error_message WHEN m.error_message IS NOT NULL THEN '' END
     FROM slice WHERE m.organization_id = $1 AND m.id = slice.id
       AND (m.text IS NOT NULL OR m.client_reference IS NOT NULL OR m.metadata IS NOT NULL
         OR (m.error_message <> '' AND m.error_code IS DISTINCT FROM '${ERASED}')))
   SELECT count(*)::int AS rows, max(id) AS last FROM slice`,
);
/** A refusal repeats the words of the upstream; keys are kept for a day. */
const eraseAnswersSql = statement<Slice<Buffer>>(
  'messaging.idempotency-key.erase',
  `WITH slice AS MATERIALIZED (
     SELECT key_sha256, message_id, status FROM idempotency_key WHERE organization_id = $1 AND key_sha256 > $3
     ORDER BY key_sha256 LIMIT ${KEYS_MAX}),
   erased AS (
     UPDATE idempotency_key k SET response = regexp_replace(k.response, '"message":"([^"\\\\]|\\\\.)*"', '"message":""')
     FROM slice JOIN message m ON m.organization_id = $1 AND m.id = slice.message_id AND m.contact_id = $2
     WHERE slice.status >= 400 AND k.organization_id = $1 AND k.key_sha256 = slice.key_sha256)
   SELECT count(*)::int AS rows, (SELECT key_sha256 FROM slice ORDER BY key_sha256 DESC LIMIT 1) AS last FROM slice`,
);

/** Overwrites what the messages of a contact say: texts, references, metadata and the words of refusals. */
export async function eraseMessages(database: Database, target: ErasureTarget): Promise<void> {
  const { organizationId, contactId } = target;
  for (const conversation of await database.query(conversationsSql, [organizationId, contactId])) {
    await inSlices('', SLICE_MAX, async (behind) => {
      const [slice] = await database.query(eraseSql, [organizationId, conversation.id, behind, SLICE_MAX]);
      await target.keepOn();
      return slice;
    });
  }
  await inSlices<Buffer>(Buffer.alloc(0), KEYS_MAX, async (behind) => {
    const [slice] = await database.query(eraseAnswersSql, [organizationId, contactId, behind]);
    await target.keepOn();
    return slice;
  });
}
