import { statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import { messageColumns } from './message-columns.js';
import type { Message } from './message.entity.js';

/** Names a message. */
export interface MessageKey {
  readonly organizationId: string;
  readonly messageId: string;
}

/** An outbound message with the number of its conversation's last event, locked until the transaction ends. */
export interface LockedMessage extends Message {
  readonly eventSequence: string;
  /** Its contact is erased: nothing that the upstream says of it in words is kept. */
  readonly isErased: boolean;
}

/** With FOR UPDATE the server reads the newest version of both once the lock is had. */
const lockSql = statement<LockedMessage>(
  'messaging.message.lock',
  `SELECT m.organization_id AS "organizationId", ${messageColumns}, c.event_sequence AS "eventSequence",
     EXISTS (SELECT FROM erasure e WHERE e.organization_id = m.organization_id AND e.contact_id = m.contact_id) AS "isErased"
   FROM unnest($1::text[], $2::text[]) AS given(organization_id, id)
   JOIN message m ON m.organization_id = given.organization_id AND m.id = given.id AND m.direction = 'OUTBOUND'
   JOIN conversation c ON c.organization_id = m.organization_id AND c.id = m.conversation_id
   ORDER BY c.organization_id, c.channel_id, c.contact_id, m.id
   FOR UPDATE OF c, m`,
);

/**
 * Locks outbound messages and their conversations; what does not exist is left out.
 *
 * The order of locks, of all writers: paces and lanes of bulk sends, contacts (organization, id), conversations (organization, channel, contact), messages,
 * dispatch rows, counters of quotas (organization, month). A dispatch row is touched under its message's lock, so that no two transactions wait for each other
 * over dispatch rows; a statement that locks out of this order must skip what is locked, never wait.
 */
export async function lockMessages(tx: Transaction, keys: readonly MessageKey[]): Promise<LockedMessage[]> {
  const distinct = [...new Map(keys.map((key) => [`${key.organizationId} ${key.messageId}`, key])).values()];
  if (distinct.length === 0) return [];
  return tx.query(lockSql, unnestColumns(distinct, ['organizationId', 'messageId']));
}
