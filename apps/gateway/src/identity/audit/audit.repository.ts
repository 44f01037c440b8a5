import type { AuditEntryView } from '@switchboard/contracts/gateway/http';
import type { Page } from '@switchboard/contracts/grammar/page';
import { readKeysetPage, statement, type Queryable, type Statement, type Transaction } from '@switchboard/postgres';
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
 * Writes acts into the logs of their organizations, in the order of the organizations' ids, so that no two transactions wait for each
 * other; those of one organization as they are given.
 */
export function appendAudits(tx: Transaction, entries: readonly NewAuditEntry[]): void {
  const byLog = Map.groupBy(entries, ({ organizationId }) => organizationId);
  for (const id of [...byLog.keys()].sort()) for (const entry of byLog.get(id) ?? []) appendAudit(tx, entry);
}

/**
 * Writes an act into the log of its organization, in the transaction that does it: both are committed or neither. Travels with
 * COMMIT, for an organization's acts wait for each other from there on; its failure rolls the transaction back.
 *
 * One organization a transaction, else two of them could wait for each other; several through `appendAudits` alone.
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

type AuditFilter = 'action' | 'actor' | 'since' | 'until';

/** Keeps the planner from sorting all entries between two times, however many they are, where a page is asked for. */
const UNINDEXED = `interval '0 s'`;
/** Between entries of a sequence the clock has gone back by less, whatever server wrote them. */
const CLOCK_STEP = `interval '1 hour'`;

/**
 * Times bound the sequence as well, so that what is later than a page is not read for it: by the nearest entry that is so much later,
 * or earlier, that whatever is asked for comes before it, or behind. Looked up by `audit_entry_at`, whose key is compared as a whole, at
 * both ends: were the organization a constant, `audit_entry_age` would have the order as well, and reads all organizations' entries.
 */
const conditions: Readonly<Record<AuditFilter, (value: string) => string>> = {
  action: (value) => `action = ${value}`,
  actor: (value) => `actor_id = ${value}`,
  since: (value) => `at + ${UNINDEXED} >= ${value}::timestamptz AND sequence > coalesce((
       SELECT b.sequence FROM audit_entry b
       WHERE (b.organization_id, b.at) >= ($1, '-infinity'::timestamptz)
         AND (b.organization_id, b.at) < ($1, ${value}::timestamptz - ${CLOCK_STEP})
       ORDER BY b.organization_id DESC, b.at DESC LIMIT 1), 0)`,
  until: (value) => `at + ${UNINDEXED} < ${value}::timestamptz AND sequence < coalesce((
       SELECT b.sequence FROM audit_entry b
       WHERE (b.organization_id, b.at) >= ($1, ${value}::timestamptz + ${CLOCK_STEP})
         AND (b.organization_id, b.at) <= ($1, 'infinity'::timestamptz)
       ORDER BY b.organization_id, b.at LIMIT 1), ${Number.MAX_SAFE_INTEGER})`,
};

/** By the filters in them. */
const listStatements = new Map<string, Statement<ListedRow>>();

/**
 * Newest first by the primary key, read backwards. Only filters that are asked for are in the text, so that each combination has
 * its own plan: a rare act is found by `audit_entry_action`, `audit_entry_actor`,
 * `audit_entry_act` (both) or `audit_entry_at`, not searched for in all others.
 */
function listEntries(asked: readonly AuditFilter[]): Statement<ListedRow> {
  const name = ['gateway.list-audit', ...asked].join('-');
  const known = listStatements.get(name);
  if (known) return known;
  const filters = asked.map((filter, index) => `AND ${conditions[filter](`$${index + 4}`)}`);
  const made = statement<ListedRow>(
    name,
    `SELECT ${LISTED} FROM audit_entry WHERE organization_id = $1 AND sequence < $2 ${filters.join(' ')}
     ORDER BY audit_entry.sequence DESC LIMIT $3`,
  );
  listStatements.set(name, made);
  return made;
}

/** A page of an organization's log as the application shows it, newest first. */
export async function listAudit(
  database: Queryable,
  { organizationId, limit, cursor, ...filters }: AuditPageRequest,
): Promise<Page<AuditEntryView>> {
  const asked = (['action', 'actor', 'since', 'until'] as const).filter((name) => filters[name] !== null);
  const values = asked.map((name) => filters[name]);
  const read = (rowsMax: number): Promise<ListedRow[]> =>
    database.query(listEntries(asked), [organizationId, beforeOf(cursor), rowsMax, ...values]);
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
