import type { AuditEntryView } from '@switchboard/contracts/gateway/http';
import type { Page } from '@switchboard/contracts/grammar/page';
import { readKeysetPage, statement, type Queryable, type Transaction } from '@switchboard/postgres';
import { ipAddressOf } from '../address/ip-address.policy.js';
import type { AuditedState, AuditPageRequest, NewAuditEntry } from '../audit.contract.js';

/** Sequence, time, writer and hash are the database's to set: see the migration. */
const insertEntry = statement(
  'gateway.append-audit',
  `INSERT INTO audit_entry
     (organization_id, action, actor_type, actor_id, actor_email, address, trace_id, before, after)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8::json, $9::json)`,
);

/**
 * Writes an act into the log of its organization, in the transaction that does it: both are committed or neither. Travels with
 * COMMIT, for an organization's acts wait for each other from there on; its failure rolls the transaction back.
 *
 * One organization a transaction, else two of them could wait for each other; several through `appendAuditOfPerson` alone.
 */
export function appendAudit(tx: Transaction, entry: NewAuditEntry): void {
  const { actor } = entry;
  tx.atCommit(insertEntry, [
    entry.organizationId,
    entry.action,
    actor.type,
    actor.type === 'system' ? null : actor.id,
    actor.type === 'user' ? actor.email : null,
    entry.address === null ? null : ipAddressOf(entry.address),
    entry.traceId,
    jsonOf(entry.before),
    jsonOf(entry.after),
  ]);
}

interface ListedRow {
  readonly sequence: number;
  readonly action: string;
  readonly actorType: AuditEntryView['actor']['type'];
  readonly actorId: string | null;
  readonly actorEmail: string | null;
  readonly address: string | null;
  readonly traceId: string | null;
  readonly at: Date;
  readonly before: AuditedState;
  readonly after: AuditedState;
  readonly hash: string;
}

const LISTED = `sequence::float8 AS sequence, action, actor_type AS "actorType", actor_id AS "actorId",
  actor_email AS "actorEmail", address, trace_id AS "traceId", at, before, after, encode(hash, 'hex') AS hash`;

/** Newest first by the primary key, read backwards. */
const listEntries = statement<ListedRow>(
  'gateway.list-audit',
  `SELECT ${LISTED} FROM audit_entry WHERE organization_id = $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3`,
);

/** The same of one action, by the index `audit_entry_action`: a rare action is not searched for in all others. */
const listEntriesOfAction = statement<ListedRow>(
  'gateway.list-audit-of-action',
  `SELECT ${LISTED} FROM audit_entry WHERE organization_id = $1 AND action = $4 AND sequence < $2
   ORDER BY sequence DESC LIMIT $3`,
);

/** A page of an organization's log as the application shows it, newest first. */
export async function listAudit(
  database: Queryable,
  { organizationId, limit, cursor, action }: AuditPageRequest,
): Promise<Page<AuditEntryView>> {
  const read = (rowsMax: number): Promise<ListedRow[]> => {
    const values = [organizationId, beforeOf(cursor), rowsMax];
    return action === null
      ? database.query(listEntries, values)
      : database.query(listEntriesOfAction, [...values, action]);
  };
  return readKeysetPage(limit, read, ({ sequence }) => cursorOf(sequence), viewOf);
}

/** A position in the shape of a cuid, as every cursor. Source: docs/api-behaviour.md#cursors. */
function cursorOf(sequence: number): string {
  return `c${sequence.toString(36).padStart(10, '0')}`;
}

/** The sequence that a page ends before. A cuid that is no cursor of ours is some position too, or beyond all. */
function beforeOf(cursor: AuditPageRequest['cursor']): number {
  const position = cursor === null ? Infinity : Number.parseInt(cursor.slice(1), 36);
  return Math.min(position, Number.MAX_SAFE_INTEGER);
}

function viewOf({ actorType, actorId, actorEmail, at, ...row }: ListedRow): AuditEntryView {
  return { ...row, actor: { type: actorType, id: actorId, email: actorEmail }, at: at.toISOString() };
}

function jsonOf(state: AuditedState): string | null {
  return state === null ? null : JSON.stringify(state);
}
