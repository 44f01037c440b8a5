import { Injectable } from '@nestjs/common';
import { ALL_CHANNELS } from '@switchboard/contracts/contacts/rpc';
import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { Database, statement, unnestColumns, type Transaction } from '@switchboard/postgres';
import type { Contact, OptOut } from './contact.entity.js';
import type { ContactWrite } from './contact-ledger.js';
import type { Holding } from './held-ledger.js';
import { storeMerges } from './store-merges.js';
import { coverageOf, searchTextOf } from './contact.policy.js';
import { VERSION_FLOOR } from './version-floor.js';

/** Which contacts are read: by their aliases and by their ids. */
export interface ContactQuestion {
  readonly organizationId: string;
  readonly aliases: readonly string[];
  readonly contactIds: readonly string[];
}

/** A row of `contact_alias`. */
interface AliasRow {
  readonly organizationId: string;
  readonly alias: string;
  readonly contactId: string;
}

/** Has the key of an alias that no contact has, until the commit. */
const NO_CONTACT = '';

interface ContactRow extends Omit<Contact, 'aliases' | 'optOuts'> {
  readonly aliases: readonly string[] | null;
  readonly optOuts: Contact['optOuts'] | null;
}

/**
 * By the primary key of `contact_alias`, then of `contact`; aliases by `contact_alias_contact`, opt-outs by
 * `opt_out_contact`, and only where there are any.
 */
const findContacts = statement<ContactRow>(
  'contacts.find',
  `SELECT c.organization_id AS "organizationId", c.id, c.phone, c.messaging_id AS "messagingId", c.name, c.email,
     c.version::float8 AS version, ${VERSION_FLOOR}::float8 AS "versionFloor", c.updated_at AS "updatedAt",
     c.applied_statements AS "appliedStatements", c.merged_into AS "mergedInto",
     (SELECT array_agg(a.alias ORDER BY a.alias) FROM contact_alias a
      WHERE a.organization_id = c.organization_id AND a.contact_id = c.id) AS aliases,
     CASE WHEN c.coverage <> 0 THEN
       (SELECT json_agg(json_build_object('id', o.id, 'channelId', o.channel_id, 'source', o.source, 'reason', o.reason)
          ORDER BY o.id) FROM opt_out o
        WHERE o.organization_id = c.organization_id AND o.contact_id = c.id) END AS "optOuts"
   FROM (
     SELECT a.organization_id, a.contact_id FROM unnest($1::text[], $2::text[]) AS asked(organization_id, alias)
     JOIN contact_alias a ON a.organization_id = asked.organization_id AND a.alias = asked.alias
     UNION
     SELECT * FROM unnest($3::text[], $4::text[]) AS asked(organization_id, contact_id)
   ) found
   JOIN contact c ON c.organization_id = found.organization_id AND c.id = found.contact_id`,
);

/** Locks in the order of the key before it writes; leaves out what has moved on since it was read. */
const changeContacts = statement<{ id: string }>(
  'contacts.change',
  `WITH wanted AS (
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[],
       $8::timestamptz[], $9::int[], $10::text[], $11::text[], $12::bigint[], $13::text[])
       AS w(organization_id, id, phone, messaging_id, name, email, version, updated_at, coverage, applied_statements,
         search_text, read_version, merged_into)
   ), locked AS (
     SELECT c.organization_id, c.id FROM contact c
     JOIN wanted w ON w.organization_id = c.organization_id AND w.id = c.id AND w.read_version = c.version
     ORDER BY c.organization_id, c.id FOR NO KEY UPDATE OF c
   )
   UPDATE contact c SET phone = w.phone, messaging_id = w.messaging_id, name = w.name, email = w.email,
     version = w.version, updated_at = w.updated_at, coverage = w.coverage,
     applied_statements = w.applied_statements::jsonb, search_text = w.search_text,
     merged_into = w.merged_into
   FROM locked l JOIN wanted w ON w.organization_id = l.organization_id AND w.id = l.id
   WHERE c.organization_id = l.organization_id AND c.id = l.id
   RETURNING c.id`,
);
/** By the primary key; the last condition must not let the planner choose the index of contacts instead. */
const releaseAliases = statement(
  'contacts.release-aliases',
  `DELETE FROM contact_alias a USING unnest($1::text[], $2::text[], $3::text[]) AS r(organization_id, alias, contact_id)
   WHERE a.organization_id = r.organization_id AND a.alias = r.alias AND (a.contact_id = r.contact_id) IS TRUE`,
);
/** In the order of the key, so that two batches wait for each other in one direction only. */
const claimAliases = statement<{ alias: string }>(
  'contacts.claim-aliases',
  `INSERT INTO contact_alias (organization_id, alias, contact_id)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS claimed(organization_id, alias, contact_id)
   ORDER BY organization_id COLLATE "C", alias COLLATE "C"
   ON CONFLICT DO NOTHING RETURNING alias`,
);
/** In the order of the ids: each is put behind the one before it (`assign_ordinal` in the migrations). */
const insertContacts = statement(
  'contacts.insert',
  `INSERT INTO contact (organization_id, id, phone, messaging_id, name, email, version, updated_at, coverage,
     applied_statements, search_text, created_at, merged_into)
   SELECT n.organization_id, n.id, n.phone, n.messaging_id, n.name, n.email, n.version, n.updated_at, n.coverage,
     n.applied_statements::jsonb, n.search_text, n.created_at, n.merged_into
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::timestamptz[],
     $9::int[], $10::text[], $11::text[], $12::timestamptz[], $13::text[])
     AS n(organization_id, id, phone, messaging_id, name, email, version, updated_at, coverage, applied_statements,
       search_text, created_at, merged_into)
   ORDER BY n.organization_id COLLATE "C", n.id COLLATE "C"`,
);
const insertOptOuts = statement(
  'contacts.insert-opt-outs',
  `INSERT INTO opt_out (organization_id, id, contact_id, channel_id, source, reason)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])`,
);
const deleteOptOuts = statement(
  'contacts.delete-opt-outs',
  `DELETE FROM opt_out o USING unnest($1::text[], $2::text[]) AS gone(organization_id, id)
   WHERE o.organization_id = gone.organization_id AND o.id = gone.id`,
);
/** Before the channel's own event has come, too: coverages count channels, and never more than there are. */
const insertChannels = statement(
  'contacts.insert-channels',
  `INSERT INTO channel (organization_id, id)
   SELECT DISTINCT organization_id, id FROM unnest($1::text[], $2::text[]) AS spoken(organization_id, id)
   ORDER BY 1, 2 ON CONFLICT DO NOTHING`,
);

/** Contacts with their aliases and opt-outs, as changes read them; `storeContacts` writes them. */
@Injectable()
export class ContactRepository {
  constructor(private readonly database: Database) {}

  /** The contacts behind the questions, each once, and those that merged ones among them stand for. One statement, as a rule. */
  async find(questions: readonly ContactQuestion[]): Promise<Contact[]> {
    const pairs = (of: (question: ContactQuestion) => readonly string[]): [string[], string[]] => {
      const keys = questions.flatMap((question) => of(question).map((key) => [question.organizationId, key] as const));
      return unnestColumns(keys, [([organizationId]) => organizationId, ([, key]) => key]);
    };
    const rows = await this.database.query(findContacts, [
      ...pairs(({ aliases }) => aliases),
      ...pairs(({ contactIds }) => contactIds),
    ]);
    const found = rows.map((row) => ({ ...row, aliases: row.aliases ?? [], optOuts: row.optOuts ?? [] }));
    const known = new Set(found.map(({ id }) => id));
    const lead = found.filter(({ mergedInto }) => mergedInto !== null && !known.has(mergedInto));
    return lead.length === 0 ? found : [...found, ...(await this.find(lead.map(goingOnOf)))];
  }
}

/** Which contact a merged one stands for. It is read once more when it was merged itself meanwhile. */
function goingOnOf({ organizationId, mergedInto }: Pick<Contact, 'organizationId' | 'mergedInto'>): ContactQuestion {
  return { organizationId, aliases: [], contactIds: mergedInto === null ? [] : [mergedInto] };
}

/**
 * Stores what has changed of contacts: their rows, their aliases and their opt-outs.
 *
 * All rows are locked first, then all keys, each in one order, so that transactions cannot deadlock. An alias passes from
 * one contact to another only under the locks of both. The key of one for which something is held anew is claimed until the commit, and
 * given back by it: no contact gains the alias meanwhile.
 *
 * @returns false when a contact has changed since it was read, or another transaction has claimed an alias: it has
 * committed, and a new read shows what it did
 */
export async function storeContacts(
  tx: Transaction,
  writes: readonly ContactWrite[],
  holdings: readonly Pick<Holding, 'organizationId' | 'aliases'>[] = [],
): Promise<boolean> {
  const changed = writes.flatMap(({ before, after }) => (before ? [{ before, after }] : []));
  if (changed.length > 0) {
    const versions = changed.map(({ before }) => before.version);
    const mergedInto = changed.map(({ after }) => after.mergedInto);
    const columns = columnsOf(changed.map(({ after }) => after));
    const stored = await tx.query(changeContacts, [...columns, versions, mergedInto]);
    if (stored.length < changed.length) return false;
  }
  if (!(await moveAliases(tx, writes, holdings))) return false;
  const created = writes.filter(({ before }) => !before).map(({ after }) => after);
  if (created.length > 0) {
    const mergedInto = created.map((contact) => contact.mergedInto);
    tx.atCommit(insertContacts, [...columnsOf(created), created.map(({ id }) => cuidTime(id)), mergedInto]);
  }
  storeOptOuts(tx, writes);
  storeMerges(tx, writes);
  return true;
}

async function moveAliases(
  tx: Transaction,
  writes: readonly ContactWrite[],
  holdings: readonly Pick<Holding, 'organizationId' | 'aliases'>[],
): Promise<boolean> {
  const passing = holdings.flatMap(({ organizationId, aliases }) =>
    aliases.map((alias) => ({ organizationId, alias, contactId: NO_CONTACT })),
  );
  const released = columnsOfAliases(
    aliasesOf(writes, ({ before, after }) => missing(before?.aliases ?? [], after.aliases)),
  );
  const gained = aliasesOf(writes, ({ before, after }) => missing(after.aliases, before?.aliases ?? []));
  const claimed = columnsOfAliases([...gained, ...passing]);
  // Both leave in one write; the server runs them in this order.
  const release = released[0].length > 0 ? tx.query(releaseAliases, released) : Promise.resolve([]);
  const claim = claimed[0].length > 0 ? tx.query(claimAliases, claimed) : Promise.resolve([]);
  const [, won] = await Promise.all([release, claim]);
  if (passing.length > 0) tx.atCommit(releaseAliases, columnsOfAliases(passing));
  return won.length === claimed[0].length;
}

function storeOptOuts(tx: Transaction, writes: readonly ContactWrite[]): void {
  const removed = optOutsOf(writes, ({ before, after }) => missing(before?.optOuts ?? [], after.optOuts, rowOf));
  const made = optOutsOf(writes, ({ before, after }) => missing(after.optOuts, before?.optOuts ?? [], rowOf));
  if (removed.length > 0) tx.atCommit(deleteOptOuts, unnestColumns(removed, ['organizationId', 'id']));
  if (made.length === 0) return;
  const single = made.filter(({ channelId }) => channelId !== ALL_CHANNELS);
  if (single.length > 0) tx.atCommit(insertChannels, unnestColumns(single, ['organizationId', 'channelId']));
  tx.atCommit(
    insertOptOuts,
    unnestColumns(made, ['organizationId', 'id', 'contactId', 'channelId', 'source', 'reason']),
  );
}

/** The columns of rows that are written, as `changeContacts` and `insertContacts` take them. */
function columnsOf(contacts: readonly Contact[]): unknown[][] {
  return unnestColumns(contacts, [
    'organizationId',
    'id',
    'phone',
    'messagingId',
    'name',
    'email',
    'version',
    'updatedAt',
    ({ optOuts }) => coverageOf(optOuts),
    ({ appliedStatements }) => appliedStatements && JSON.stringify(appliedStatements),
    searchTextOf,
  ]);
}

function aliasesOf(writes: readonly ContactWrite[], select: (write: ContactWrite) => readonly string[]): AliasRow[] {
  return writes.flatMap((write) =>
    select(write).map((alias) => ({ organizationId: write.after.organizationId, alias, contactId: write.after.id })),
  );
}

function columnsOfAliases(rows: readonly AliasRow[]): [string[], string[], string[]] {
  return unnestColumns(rows, ['organizationId', 'alias', 'contactId']);
}

function optOutsOf(
  writes: readonly ContactWrite[],
  select: (write: ContactWrite) => readonly OptOut[],
): (OptOut & { readonly organizationId: string; readonly contactId: string })[] {
  return writes.flatMap((write) =>
    select(write).map((optOut) => ({
      ...optOut,
      organizationId: write.after.organizationId,
      contactId: write.after.id,
    })),
  );
}

/** Items of `from` that `other` does not hold. */
function missing<Item>(from: readonly Item[], other: readonly Item[], keyOf: (item: Item) => unknown = String): Item[] {
  const keys = new Set(other.map(keyOf));
  return from.filter((item) => !keys.has(keyOf(item)));
}

/** One whose source has changed is written anew. */
function rowOf({ id, source }: OptOut): string {
  return `${id} ${source}`;
}
