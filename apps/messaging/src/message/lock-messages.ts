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

const locking = `SELECT m.organization_id AS "organizationId", ${messageColumns}, c.event_sequence AS "eventSequence",
     EXISTS (SELECT FROM erasure e WHERE e.organization_id = m.organization_id AND e.contact_id = m.contact_id) AS "isErased"
   FROM unnest($1::text[], $2::text[]) AS given(organization_id, id)
   JOIN message m ON m.organization_id = given.organization_id AND m.id = given.id AND m.direction = 'OUTBOUND'
   JOIN conversation c ON c.organization_id = m.organization_id AND c.id = m.conversation_id
   ORDER BY c.organization_id, c.channel_id, c.contact_id, m.id
   FOR UPDATE OF c, m`;
/** With FOR UPDATE the server reads the newest version of both once the lock is had. */
const lockSql = statement<LockedMessage>('messaging.message.lock', locking);
const lockFreeSql = statement<LockedMessage>('messaging.message.lock-free', `${locking} SKIP LOCKED`);

/**
 * SQL: `m.id = <this>` finds a message by its id in whatever month, for a statement that locks it among rows of other tables and
 * may go on behind that.
 *
 * With the id itself the server chooses the months while it runs. Where it checks a row again that was changed behind its look
 * (EvalPlanQual), it chooses by memory that is gone: it skips messages of other months, or fails with "compressed pglz data is
 * corrupt". Every month is looked into instead, by its key. Seen on PostgreSQL 18.4, test/changed-behind-claim.int.ts.
 *
 * Not needed where all rows are sorted before the first is locked, as below.
 */
export function inAnyMonth(id: string): string {
  return `ANY (array_append('{}'::text[], ${id}))`;
}

/**
 * Locks outbound messages and their conversations; what does not exist is left out.
 *
 * The order of locks, of all writers: paces and lanes of bulk sends, contacts (organization, id), conversations
 * (organization, channel, contact), messages, dispatch rows, counters of quotas (organization, month). A dispatch row is
 * touched under its message's lock, so that no two transactions wait for each other over dispatch rows; a statement that
 * locks out of this order must skip what is locked, never wait.
 */
export async function lockMessages(tx: Transaction, keys: readonly MessageKey[]): Promise<LockedMessage[]> {
  return locked(tx, lockSql, keys);
}

/**
 * Locks messages as `lockMessages` does, without waiting: for work of all organizations, of which a row that is locked for long
 * must hold up none.
 *
 * @returns the keys whose messages are locked now; the others are held by other transactions, and are left for later
 */
export async function lockFreeMessages<Key extends MessageKey>(tx: Transaction, keys: readonly Key[]): Promise<Key[]> {
  const rows = await locked(tx, lockFreeSql, keys);
  const own = new Set(rows.map(({ organizationId, id }) => `${organizationId} ${id}`));
  return keys.filter((key) => own.has(nameOf(key)));
}

async function locked(tx: Transaction, lock: typeof lockSql, keys: readonly MessageKey[]): Promise<LockedMessage[]> {
  const distinct = [...new Map(keys.map((key) => [nameOf(key), key])).values()];
  if (distinct.length === 0) return [];
  return tx.query(lock, unnestColumns(distinct, ['organizationId', 'messageId']));
}

function nameOf({ organizationId, messageId }: MessageKey): string {
  return `${organizationId} ${messageId}`;
}
