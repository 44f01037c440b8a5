import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { ALL_CHANNELS } from '@switchboard/contracts/contacts/rpc';
import { statement, type Transaction } from '@switchboard/postgres';
import type { Contact, OptOut } from './contact.entity.js';
import type { ContactWrite } from './contact-ledger.js';
import { coverageOf, searchTextOf } from './contact.policy.js';

/** Locks in the order of the key before it writes; leaves out what has moved on since it was read. */
const changeContacts = statement<{ id: string }>(
  'contacts.change',
  `WITH wanted AS (
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[],
       $8::timestamptz[], $9::int[], $10::text[], $11::text[], $12::bigint[])
       AS w(organization_id, id, phone, messaging_id, name, email, version, updated_at, coverage, applied_statements,
         search_text, read_version)
   ), locked AS (
     SELECT c.organization_id, c.id FROM contact c
     JOIN wanted w ON w.organization_id = c.organization_id AND w.id = c.id AND w.read_version = c.version
     ORDER BY c.organization_id, c.id FOR NO KEY UPDATE OF c
   )
   UPDATE contact c SET phone = w.phone, messaging_id = w.messaging_id, name = w.name, email = w.email,
     version = w.version, updated_at = w.updated_at, coverage = w.coverage,
     applied_statements = w.applied_statements::jsonb, search_text = w.search_text
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
     applied_statements, search_text, created_at)
   SELECT n.organization_id, n.id, n.phone, n.messaging_id, n.name, n.email, n.version, n.updated_at, n.coverage,
     n.applied_statements::jsonb, n.search_text, n.created_at
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::timestamptz[],
     $9::int[], $10::text[], $11::text[], $12::timestamptz[])
     AS n(organization_id, id, phone, messaging_id, name, email, version, updated_at, coverage, applied_statements,
       search_text, created_at)
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
/** A channel that an opt-out speaks of exists, told of or not: coverages count channels, and never more than there are. */
const insertChannels = statement(
  'contacts.insert-channels',
  `INSERT INTO channel (organization_id, id)
   SELECT DISTINCT organization_id, id FROM unnest($1::text[], $2::text[]) AS spoken(organization_id, id)
   ORDER BY 1, 2 ON CONFLICT DO NOTHING`,
);

/**
 * Stores what has changed of contacts: their rows, their aliases and their opt-outs.
 *
 * All rows are locked first, then all keys, each in one order: nobody waits in a circle. An alias passes from one contact
 * to another only under the locks of both.
 *
 * @returns false when a contact has changed since it was read, or another transaction has claimed an alias: it has
 * committed, and a new read shows what it did
 */
export async function storeContacts(tx: Transaction, writes: readonly ContactWrite[]): Promise<boolean> {
  const changed = writes.flatMap(({ before, after }) => (before ? [{ before, after }] : []));
  if (changed.length > 0) {
    const versions = changed.map(({ before }) => before.version);
    const stored = await tx.query(changeContacts, [...columnsOf(changed.map(({ after }) => after)), versions]);
    if (stored.length < changed.length) return false;
  }
  if (!(await moveAliases(tx, writes))) return false;
  const created = writes.filter(({ before }) => !before).map(({ after }) => after);
  if (created.length > 0) {
    tx.atCommit(insertContacts, [...columnsOf(created), created.map(({ id }) => cuidTime(id))]);
  }
  storeOptOuts(tx, writes);
  return true;
}

async function moveAliases(tx: Transaction, writes: readonly ContactWrite[]): Promise<boolean> {
  const released = aliasesOf(writes, ({ before, after }) => missing(before?.aliases ?? [], after.aliases));
  const claimed = aliasesOf(writes, ({ before, after }) => missing(after.aliases, before?.aliases ?? []));
  // Both leave in one write; the server runs them in this order.
  const release = released[0].length > 0 ? tx.query(releaseAliases, released) : Promise.resolve([]);
  const claim = claimed[0].length > 0 ? tx.query(claimAliases, claimed) : Promise.resolve([]);
  const [, won] = await Promise.all([release, claim]);
  return won.length === claimed[0].length;
}

function storeOptOuts(tx: Transaction, writes: readonly ContactWrite[]): void {
  const lifted = optOutsOf(writes, ({ before, after }) => missing(before?.optOuts ?? [], after.optOuts, idOf));
  const made = optOutsOf(writes, ({ before, after }) => missing(after.optOuts, before?.optOuts ?? [], idOf));
  if (lifted.length > 0) {
    tx.atCommit(deleteOptOuts, [
      lifted.map(({ contact }) => contact.organizationId),
      lifted.map(({ optOut }) => optOut.id),
    ]);
  }
  if (made.length === 0) return;
  const single = made.filter(({ optOut }) => optOut.channelId !== ALL_CHANNELS);
  if (single.length > 0) {
    tx.atCommit(insertChannels, [
      single.map(({ contact }) => contact.organizationId),
      single.map(({ optOut }) => optOut.channelId),
    ]);
  }
  tx.atCommit(insertOptOuts, [
    made.map(({ contact }) => contact.organizationId),
    made.map(({ optOut }) => optOut.id),
    made.map(({ contact }) => contact.id),
    made.map(({ optOut }) => optOut.channelId),
    made.map(({ optOut }) => optOut.source),
    made.map(({ optOut }) => optOut.reason),
  ]);
}

/** The columns of rows that are written, as `changeContacts` and `insertContacts` take them. */
function columnsOf(contacts: readonly Contact[]): unknown[][] {
  return [
    contacts.map(({ organizationId }) => organizationId),
    contacts.map(({ id }) => id),
    contacts.map(({ phone }) => phone),
    contacts.map(({ messagingId }) => messagingId),
    contacts.map(({ name }) => name),
    contacts.map(({ email }) => email),
    contacts.map(({ version }) => version),
    contacts.map(({ updatedAt }) => updatedAt),
    contacts.map(({ optOuts }) => coverageOf(optOuts)),
    contacts.map(({ heard }) => heard && JSON.stringify(heard)),
    contacts.map(searchTextOf),
  ];
}

function aliasesOf(
  writes: readonly ContactWrite[],
  select: (write: ContactWrite) => readonly string[],
): [string[], string[], string[]] {
  const rows = writes.flatMap((write) => select(write).map((alias) => ({ alias, contact: write.after })));
  return [
    rows.map(({ contact }) => contact.organizationId),
    rows.map(({ alias }) => alias),
    rows.map(({ contact }) => contact.id),
  ];
}

function optOutsOf(
  writes: readonly ContactWrite[],
  select: (write: ContactWrite) => readonly OptOut[],
): { contact: Contact; optOut: OptOut }[] {
  return writes.flatMap((write) => select(write).map((optOut) => ({ contact: write.after, optOut })));
}

/** Those of `from` that `there` does not hold. */
function missing<Item>(from: readonly Item[], there: readonly Item[], keyOf: (item: Item) => unknown = String): Item[] {
  const keys = new Set(there.map(keyOf));
  return from.filter((item) => !keys.has(keyOf(item)));
}

function idOf({ id }: OptOut): string {
  return id;
}
