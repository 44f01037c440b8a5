import { Injectable } from '@nestjs/common';
import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { Database, statement, type Transaction } from '@switchboard/postgres';

/** A contact of an organization. */
export interface OwnedContact {
  readonly organizationId: string;
  readonly contact: ContactFacts;
}

/** A written form of a phone that is to belong to a contact. */
export interface PhoneClaim {
  readonly organizationId: string;
  readonly phone: string;
  readonly contactId: string;
}

/** A contact as it shall be, and the version that it was read in. */
export interface ContactChange extends OwnedContact {
  readonly readVersion: number;
}

interface ContactRow extends ContactFacts {
  readonly organizationId: string;
}

/** By the primary key of `contact_phone`, then of `contact`; the forms by `contact_phone_contact`. */
const findByPhones = statement<ContactRow>(
  'contacts.find-by-phones',
  `SELECT c.organization_id AS "organizationId", c.id, c.phone, c.messaging_id AS "messagingId", c.name,
     c.version::float8 AS version,
     (SELECT array_agg(f.phone ORDER BY f.phone) FROM contact_phone f
      WHERE f.organization_id = c.organization_id AND f.contact_id = c.id) AS "phoneForms"
   FROM (
     SELECT DISTINCT p.organization_id, p.contact_id FROM unnest($1::text[], $2::text[]) AS asked(organization_id, phone)
     JOIN contact_phone p ON p.organization_id = asked.organization_id AND p.phone = asked.phone
   ) found
   JOIN contact c ON c.organization_id = found.organization_id AND c.id = found.contact_id`,
);

/** In the order of the key, so that two batches wait for each other in one direction only. */
const claimPhones = statement<{ phone: string }>(
  'contacts.claim-phones',
  `INSERT INTO contact_phone (organization_id, phone, contact_id)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS claimed(organization_id, phone, contact_id)
   ORDER BY organization_id COLLATE "C", phone COLLATE "C"
   ON CONFLICT DO NOTHING RETURNING phone`,
);

/** Locks in the order of the key before it writes; leaves out what has moved on since it was read. */
const changeContacts = statement<{ id: string }>(
  'contacts.change-contacts',
  `WITH wanted AS (
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])
       AS w(organization_id, id, messaging_id, name, version, read_version)
   ), locked AS (
     SELECT c.organization_id, c.id FROM contact c
     JOIN wanted w ON w.organization_id = c.organization_id AND w.id = c.id AND w.read_version = c.version
     ORDER BY c.organization_id, c.id FOR NO KEY UPDATE OF c
   )
   UPDATE contact c SET messaging_id = w.messaging_id, name = w.name, version = w.version, updated_at = $7
   FROM locked l JOIN wanted w ON w.organization_id = l.organization_id AND w.id = l.id
   WHERE c.organization_id = l.organization_id AND c.id = l.id
   RETURNING c.id`,
);

const insertContacts = statement(
  'contacts.insert-contacts',
  `INSERT INTO contact (organization_id, id, phone, messaging_id, name, version, created_at, updated_at)
   SELECT *, $8::timestamptz FROM unnest(
     $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::timestamptz[])`,
);

/** Contacts and the table of their phones' written forms. */
@Injectable()
export class ContactRepository {
  constructor(private readonly database: Database) {}

  /** The contacts behind written forms of phones, each once. One statement. */
  async findByPhones(asked: readonly { organizationId: string; phone: string }[]): Promise<OwnedContact[]> {
    const rows = await this.database.query(findByPhones, [
      asked.map(({ organizationId }) => organizationId),
      asked.map(({ phone }) => phone),
    ]);
    return rows.map(({ organizationId, ...contact }) => ({ organizationId, contact }));
  }

  /** False when another transaction has one of the forms: it has committed, and a new read shows its contact. */
  async claimPhones(tx: Transaction, claims: readonly PhoneClaim[]): Promise<boolean> {
    if (claims.length === 0) return true;
    const won = await tx.query(claimPhones, [
      claims.map(({ organizationId }) => organizationId),
      claims.map(({ phone }) => phone),
      claims.map(({ contactId }) => contactId),
    ]);
    return won.length === claims.length;
  }

  /** False when one of the contacts has changed since it was read. */
  async change(tx: Transaction, changes: readonly ContactChange[], at: Date): Promise<boolean> {
    if (changes.length === 0) return true;
    const changed = await tx.query(changeContacts, [
      changes.map(({ organizationId }) => organizationId),
      changes.map(({ contact }) => contact.id),
      changes.map(({ contact }) => contact.messagingId),
      changes.map(({ contact }) => contact.name),
      changes.map(({ contact }) => contact.version),
      changes.map(({ readVersion }) => readVersion),
      at,
    ]);
    return changed.length === changes.length;
  }

  /** Writes contacts whose phones were claimed in the same transaction. Travels with COMMIT. */
  insert(tx: Transaction, created: readonly OwnedContact[], at: Date): void {
    if (created.length === 0) return;
    tx.atCommit(insertContacts, [
      created.map(({ organizationId }) => organizationId),
      created.map(({ contact }) => contact.id),
      created.map(({ contact }) => contact.phone),
      created.map(({ contact }) => contact.messagingId),
      created.map(({ contact }) => contact.name),
      created.map(({ contact }) => contact.version),
      created.map(({ contact }) => cuidTime(contact.id)),
      at,
    ]);
  }
}
