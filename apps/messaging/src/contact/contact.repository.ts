import { Injectable } from '@nestjs/common';
import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { Database, statement, type Transaction, unnestColumns } from '@switchboard/postgres';
import { forgetObserved, replaceReported } from '../suppression/suppression.repository.js';

/** A contact of an organization, as the contacts service emitted or answered it. */
export interface ProjectedContact {
  readonly organizationId: string;
  readonly contact: ContactFacts;
  /** Events of opt-outs, observed here, that these facts or newer ones take into account. */
  readonly observed?: readonly string[];
}

/** A number as an organization writes to it; E.164. */
export interface PhoneKey {
  readonly organizationId: string;
  readonly phone: string;
}

/** What a transaction holds against the fence of opt-outs. */
export interface Held {
  readonly contactIds: ReadonlySet<string>;
  has(phone: PhoneKey): boolean;
}

/** Only a newer version changes a row, so order and repetition of events do not matter. Sorted against deadlocks. */
const upsertContacts = statement<{ organizationId: string; id: string }>(
  'messaging.contact.project',
  `INSERT INTO contact (organization_id, id, phone, messaging_id, name, version, merged_into)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[])
     AS given(organization_id, id, phone, messaging_id, name, version, merged_into)
   ORDER BY organization_id, id
   ON CONFLICT (organization_id, id) DO UPDATE SET
     phone = excluded.phone, messaging_id = excluded.messaging_id, name = excluded.name, version = excluded.version,
     merged_into = excluded.merged_into
   WHERE contact.version < excluded.version
   RETURNING organization_id AS "organizationId", id`,
);
/**
 * Facts older than the known ones name no phones: another contact may have their numbers by now. A row counts while its
 * contact is of the version that named it, so a number that newer facts do not name has no owner. It is
 * never deleted: a row that is there can be locked. Sorted against deadlocks.
 */
const upsertPhonesSql = (more: string): string =>
  `INSERT INTO contact_phone (organization_id, phone, contact_id, version)
   SELECT DISTINCT ON (given.organization_id, given.phone) given.organization_id, given.phone, given.contact_id, given.version
   FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY
     AS given(organization_id, phone, contact_id, version, n)
   JOIN contact c ON c.organization_id = given.organization_id AND c.id = given.contact_id AND c.version <= given.version
   ORDER BY given.organization_id, given.phone, given.n DESC
   ON CONFLICT (organization_id, phone) DO UPDATE SET contact_id = excluded.contact_id, version = excluded.version
   WHERE (contact_phone.contact_id, contact_phone.version) <> (excluded.contact_id, excluded.version) ${more}`;
const upsertPhones = statement('messaging.contact.project-phones', upsertPhonesSql(''));
/** Events come late: a number stays with the contact that has it by its newest known facts. */
const upsertPhonesOfEvents = statement(
  'messaging.contact.project-known-phones',
  upsertPhonesSql(`AND (contact_phone.contact_id = excluded.contact_id OR NOT EXISTS (
     SELECT FROM contact o WHERE o.organization_id = contact_phone.organization_id AND o.id = contact_phone.contact_id
       AND o.version = contact_phone.version))`),
);
/** Before the statement above, which must see who has the numbers behind the lock that it would have waited for. */
const lockPhonesOfEventsSql = statement(
  'messaging.contact.lock-known-phones',
  `SELECT FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS given(organization_id, phone)) given
   JOIN contact_phone f ON f.organization_id = given.organization_id AND f.phone = given.phone
   ORDER BY f.organization_id, f.phone FOR NO KEY UPDATE OF f`,
);

/** Waits for a transaction that is making the contact known. The version is below every emitted one. */
const makeRoomSql = statement(
  'messaging.contact.make-room',
  `INSERT INTO contact (organization_id, id, phone, messaging_id, version)
   SELECT organization_id, id, phone, messaging_id, -1
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS given(organization_id, id, phone, messaging_id)
   ORDER BY organization_id COLLATE "C", id COLLATE "C" ON CONFLICT DO NOTHING`,
);

/** KEY SHARE: no lock against the projection's own writes, one against `lockContacts`. */
const holdByPhonesSql = statement<{ id: string }>(
  'messaging.contact.hold-by-phones',
  `SELECT c.id FROM unnest($1::text[], $2::text[]) AS given(organization_id, phone)
   JOIN contact_phone f ON f.organization_id = given.organization_id AND f.phone = given.phone
   JOIN contact c ON c.organization_id = f.organization_id AND c.id = f.contact_id
   ORDER BY c.organization_id, c.id FOR KEY SHARE OF c`,
  { writesNothing: true },
);
const holdPhonesSql = statement<PhoneKey>(
  'messaging.contact.hold-phones',
  `SELECT f.organization_id AS "organizationId", f.phone
   FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS given(organization_id, phone)) given
   JOIN contact_phone f ON f.organization_id = given.organization_id AND f.phone = given.phone
   ORDER BY f.organization_id, f.phone FOR KEY SHARE OF f`,
  { writesNothing: true },
);
/**
 * A number without a row gets one that names no owner: its version is below every emitted one. Setting a column of
 * the key, though of no row, is what makes the conflict lock a row FOR UPDATE. One statement, so that all are locked in
 * the order of phones, whichever are there.
 */
const lockPhonesSql = statement(
  'messaging.contact.lock-phones',
  `INSERT INTO contact_phone (organization_id, phone, contact_id, version)
   SELECT DISTINCT $1, phone, $2, -1 FROM unnest($3::text[]) AS given(phone) ORDER BY phone
   ON CONFLICT (organization_id, phone) DO UPDATE SET phone = excluded.phone WHERE false`,
);

/** Messaging's own small projection of contacts: who stands behind a phone, what lists show of them, their opt-outs. */
@Injectable()
export class ContactRepository {
  constructor(private readonly database: Database) {}

  /** Takes what the contacts service answered. */
  async project(contacts: readonly ProjectedContact[]): Promise<void> {
    if (contacts.length > 0) await this.database.transaction((tx) => projectContacts(tx, contacts));
  }
}

/**
 * Stores what the contacts service answered or emitted; of several versions of a contact, the newest. A contact and its
 * opt-outs are always of one version: a reader that finds a version known may rely on its opt-outs.
 *
 * @param origin an answer is of this moment; an event may be long past, and takes no number from another contact
 */
export async function projectContacts(
  tx: Transaction,
  contacts: readonly ProjectedContact[],
  origin: 'answer' | 'event' = 'answer',
): Promise<void> {
  if (contacts.length === 0) return;
  const newest = newestOf(contacts);
  const given = [...newest.values()];
  const phones = given.flatMap(({ organizationId, contact }) =>
    contact.phoneForms.map((phone) => ({ organizationId, phone, contactId: contact.id, version: versionOf(contact) })),
  );
  const columns = unnestColumns(phones, ['organizationId', 'phone', 'contactId', 'version']);
  // Together, and before anything but contacts is locked (ADR 0012).
  const [changed] = await Promise.all([
    tx.query(
      upsertContacts,
      unnestColumns(given, [
        'organizationId',
        ({ contact }) => contact.id,
        ({ contact }) => contact.phone,
        ({ contact }) => contact.messagingId,
        ({ contact }) => contact.name,
        ({ contact }) => versionOf(contact),
        ({ contact }) => contact.mergedInto ?? null,
      ]),
    ),
    origin === 'event' ? tx.query(lockPhonesOfEventsSql, columns.slice(0, 2)) : null,
    tx.query(origin === 'event' ? upsertPhonesOfEvents : upsertPhones, columns),
  ]);
  replaceReported(
    tx,
    changed.flatMap(({ organizationId, id }) => {
      const optOuts = newest.get(`${organizationId} ${id}`)?.contact.optOuts;
      return optOuts ? [{ organizationId, contactId: id, optOuts }] : [];
    }),
  );
  forgetObserved(
    tx,
    contacts.flatMap(({ organizationId, contact, observed = [] }) =>
      contact.optOuts ? observed.map((eventId) => ({ organizationId, contactId: contact.id, eventId })) : [],
    ),
  );
}

/**
 * Ensures that contacts have rows to lock, even while another transaction makes them known. The transaction must
 * go on to project their facts.
 */
export async function makeRoomForContacts(tx: Transaction, contacts: readonly ProjectedContact[]): Promise<void> {
  const facts = contacts.map(({ organizationId, contact }) => ({ ...contact, organizationId }));
  await tx.query(makeRoomSql, unnestColumns(facts, ['organizationId', 'id', 'phone', 'messagingId']));
}

/** In the order in which they hold: of two contacts with one number, the one that came last has it. */
function newestOf(contacts: readonly ProjectedContact[]): ReadonlyMap<string, ProjectedContact> {
  const newest = new Map<string, ProjectedContact>();
  for (const given of contacts) {
    const key = `${given.organizationId} ${given.contact.id}`;
    const known = newest.get(key);
    if (known && versionOf(known.contact) > versionOf(given.contact)) continue;
    newest.delete(key);
    newest.set(key, given);
  }
  return newest;
}

/** Facts without opt-outs (an older sender) make a contact known; any that tell its opt-outs are newer. */
function versionOf(contact: ContactFacts): number {
  return contact.optOuts ? contact.version : 0;
}

/**
 * Holds contacts and the phones themselves until the transaction ends, against a suppression that is being written; one
 * that is, is waited for. Contacts first, here and in the fence. A phone is held by itself because it may be given to
 * another contact at this moment, whose opt-outs are then what counts.
 *
 * A statement sent behind these, without awaiting them, sees every suppression that came first. The judging statement
 * itself could not take the locks: what it sees would be older than the lock that it waited for.
 */
export async function holdRecipients(
  tx: Transaction,
  recipients: readonly { readonly organizationId: string; readonly phone: string | null }[],
): Promise<Held> {
  const keys = unnestColumns(recipients, ['organizationId', 'phone']);
  const [contacts, phones] = await Promise.all([tx.query(holdByPhonesSql, keys), tx.query(holdPhonesSql, keys)]);
  const held = new Set(phones.map(({ organizationId, phone }) => `${organizationId} ${phone}`));
  return {
    contactIds: new Set(contacts.map(({ id }) => id)),
    has: ({ organizationId, phone }) => held.has(`${organizationId} ${phone}`),
  };
}

/**
 * Locks the phones that facts name against sends that are being marked, whichever contact they were judged by: those that
 * are, are waited for. To be called behind the lock of the contact and before the facts are written (`projectContacts`).
 *
 * Not after: PostgreSQL skips a row that is locked, but waits for one whose uncommitted version is, even with SKIP
 * LOCKED. The claim of retries, which locks in its own order, would wait here and be waited for.
 */
export async function lockPhones(tx: Transaction, { organizationId, contact }: ProjectedContact): Promise<void> {
  await tx.query(lockPhonesSql, [organizationId, contact.id, contact.phoneForms]);
}
