import { Injectable } from '@nestjs/common';
import type { ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { Database, statement, type Queryable, type Transaction } from '@switchboard/postgres';

/** A contact of an organization, as the contacts service told it. */
export interface ProjectedContact {
  readonly organizationId: string;
  readonly contact: ContactFacts;
}

/** Only a newer version changes a row, so order and repetition of what is told do not matter. Sorted against deadlocks. */
const upsertContacts = statement(
  'messaging.contact.project',
  `INSERT INTO contact (organization_id, id, phone, messaging_id, name, version)
   SELECT DISTINCT ON (organization_id, id) *
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
     AS told(organization_id, id, phone, messaging_id, name, version)
   ORDER BY organization_id, id, version DESC
   ON CONFLICT (organization_id, id) DO UPDATE SET
     phone = excluded.phone, messaging_id = excluded.messaging_id, name = excluded.name, version = excluded.version
   WHERE contact.version < excluded.version`,
);
const upsertPhones = statement(
  'messaging.contact.project-phones',
  `INSERT INTO contact_phone (organization_id, phone, contact_id)
   SELECT DISTINCT ON (organization_id, phone) * FROM unnest($1::text[], $2::text[], $3::text[])
     AS told(organization_id, phone, contact_id)
   ORDER BY organization_id, phone
   ON CONFLICT (organization_id, phone) DO UPDATE SET contact_id = excluded.contact_id
   WHERE contact_phone.contact_id <> excluded.contact_id`,
);

/** KEY SHARE: no lock against the projection's own writes, one against `suppress`. */
const holdByPhonesSql = statement<{ id: string }>(
  'messaging.contact.hold-by-phones',
  `SELECT c.id FROM unnest($1::text[], $2::text[]) AS told(organization_id, phone)
   JOIN contact_phone f ON f.organization_id = told.organization_id AND f.phone = told.phone
   JOIN contact c ON c.organization_id = f.organization_id AND c.id = f.contact_id
   ORDER BY c.organization_id, c.id FOR KEY SHARE OF c`,
);

/** Messaging's own small projection of contacts: who stands behind a phone, and what lists show of them. */
@Injectable()
export class ContactRepository {
  constructor(private readonly database: Database) {}

  /** Takes what the contacts service answered or told. */
  async project(contacts: readonly ProjectedContact[], through: Queryable = this.database): Promise<void> {
    if (contacts.length === 0) return;
    await through.query(upsertContacts, [
      contacts.map(({ organizationId }) => organizationId),
      contacts.map(({ contact }) => contact.id),
      contacts.map(({ contact }) => contact.phone),
      contacts.map(({ contact }) => contact.messagingId),
      contacts.map(({ contact }) => contact.name),
      contacts.map(({ contact }) => contact.version),
    ]);
    const phones = contacts.flatMap(({ organizationId, contact }) =>
      contact.phoneForms.map((phone) => ({ organizationId, phone, contactId: contact.id })),
    );
    await through.query(upsertPhones, [
      phones.map(({ organizationId }) => organizationId),
      phones.map(({ phone }) => phone),
      phones.map(({ contactId }) => contactId),
    ]);
  }
}

/**
 * Holds contacts until the transaction ends against a suppression that is being written; one that is, is waited for.
 *
 * A statement sent behind this one, without awaiting it, sees every suppression that came first. The judging statement
 * itself could not take the lock: what it sees would be older than the lock that it waited for.
 *
 * @returns the ids of those that exist
 */
export async function holdContacts(
  tx: Transaction,
  recipients: readonly { readonly organizationId: string; readonly phone: string | null }[],
): Promise<ReadonlySet<string>> {
  const held = await tx.query(holdByPhonesSql, [
    recipients.map(({ organizationId }) => organizationId),
    recipients.map(({ phone }) => phone),
  ]);
  return new Set(held.map(({ id }) => id));
}
