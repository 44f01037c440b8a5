import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { statement, type Transaction, unnestColumns } from '@switchboard/postgres';

/** An opt-out that the upstream reported in answer to a send, before contacts knows of it. */
export interface ObservedOptOut {
  readonly organizationId: string;
  readonly contactId: string;
  readonly channelId: string;
  /** The event for contacts: the row stays until contacts confirms that it has taken this event into account. */
  readonly eventId: string;
}

/** Names a contact. */
export interface ContactKey {
  readonly organizationId: string;
  readonly contactId: string;
}

/** A contact of an organization whose opt-outs are stored. */
export interface ContactOptOuts extends ContactKey {
  readonly optOuts: NonNullable<ContactFacts['optOuts']>;
}

/** Sorted like every lock of contacts. */
const lockSql = statement(
  'messaging.suppression.lock-contacts',
  `SELECT FROM unnest($1::text[], $2::text[]) AS given(organization_id, id)
   JOIN contact c ON c.organization_id = given.organization_id AND c.id = given.id
   ORDER BY c.organization_id, c.id FOR UPDATE OF c`,
);
const insertSql = statement(
  'messaging.suppression.insert',
  `INSERT INTO suppression (organization_id, contact_id, channel_id, source, observed_by)
   SELECT DISTINCT ON (organization_id, contact_id, channel_id, observed_by) *
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
     AS s(organization_id, contact_id, channel_id, source, observed_by)
   ORDER BY organization_id, contact_id, channel_id, observed_by ON CONFLICT DO NOTHING`,
);
const deleteReportedSql = statement(
  'messaging.suppression.forget-reported',
  `DELETE FROM suppression s USING unnest($1::text[], $2::text[]) AS given(organization_id, contact_id)
   WHERE s.organization_id = given.organization_id AND s.contact_id = given.contact_id AND s.observed_by = ''`,
);
const forgetObservedSql = statement(
  'messaging.suppression.forget-observed',
  `DELETE FROM suppression s
   USING unnest($1::text[], $2::text[], $3::text[]) AS given(organization_id, contact_id, event_id)
   WHERE s.organization_id = given.organization_id AND s.contact_id = given.contact_id AND s.observed_by = given.event_id`,
);

/**
 * Locks contacts against sends that are being marked: those that are, are waited for. To be called before the transaction
 * locks anything else (see `lockMessages`).
 *
 * A send that is being marked holds its contact and its number too (`holdRecipients`, `claimRetries`): it is marked before, and seen by
 * `markedAttempts` once this transaction is committed, or it sees what this transaction writes.
 *
 * @returns how many rows it locked: one that is not there, or not committed yet, it cannot (`makeRoomForContacts`)
 */
export async function lockContacts(tx: Transaction, contacts: readonly ContactKey[]): Promise<number> {
  if (contacts.length === 0) return 0;
  const locked = await tx.query(lockSql, unnestColumns(contacts, ['organizationId', 'contactId']));
  return locked.length;
}

/** Suppresses what the upstream reported, under its contacts' locks, which it takes first (`lockContacts`). */
export async function suppressObserved(tx: Transaction, observed: readonly ObservedOptOut[]): Promise<void> {
  if (observed.length === 0) return;
  await lockContacts(tx, observed);
  tx.atCommit(
    insertSql,
    unnestColumns(observed, ['organizationId', 'contactId', 'channelId', () => 'UPSTREAM', 'eventId']),
  );
}

/**
 * Replaces the opt-outs known from contacts; what was observed stays. Travels with COMMIT; the
 * transaction holds the rows of these contacts, so that of two versions the newer one is written last.
 */
export function replaceReported(tx: Transaction, contacts: readonly ContactOptOuts[]): void {
  if (contacts.length === 0) return;
  tx.atCommit(deleteReportedSql, unnestColumns(contacts, ['organizationId', 'contactId']));
  const rows = contacts.flatMap((contact) => contact.optOuts.map((optOut) => ({ ...contact, ...optOut })));
  if (rows.length === 0) return;
  tx.atCommit(insertSql, unnestColumns(rows, ['organizationId', 'contactId', 'channelId', 'source', () => '']));
}

/** Lets go of observed opt-outs that the facts stored by this transaction, or newer ones, hold. Travels with COMMIT. */
export function forgetObserved(
  tx: Transaction,
  observed: readonly (ContactKey & { readonly eventId: string })[],
): void {
  if (observed.length === 0) return;
  tx.atCommit(forgetObservedSql, unnestColumns(observed, ['organizationId', 'contactId', 'eventId']));
}
