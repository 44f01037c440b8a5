import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import type { ContactFacts, ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { ContactChange } from '../contact/change-contacts.js';
import type { Contact } from '../contact/contact.entity.js';
import { factsOf } from '../contact/contact.policy.js';
import { aliasesOf, formerAliasesOf, resolveSighting } from './resolve-sighting.policy.js';

/** The contacts of sightings, in order; null for a note of which none is made. */
export interface ResolvedSightings {
  readonly contacts: readonly (ContactFacts | null)[];
  /** Others of which is what was stated, because they had the number then. */
  readonly also: readonly ContactFacts[];
}

/** A contact as it was read a while ago. */
export type StoredSighting = Pick<Contact, 'organizationId' | 'id' | 'phone' | 'messagingId'>;

/**
 * Sights a contact again as it is stored, as if the upstream had answered so again.
 *
 * @returns false when it is not so any more: what was read is older than what the upstream said since
 */
export function sightAgain({
  organizationId,
  id: contactId,
  phone,
  messagingId,
}: StoredSighting): ContactChange<boolean> {
  const sighting = { contactId, phone, profileName: null, messagingId };
  return {
    organizationId,
    aliases: aliasesOf(sighting),
    contactIds: [contactId],
    traceparent: null,
    decide: (ledger) => {
      const contact = ledger.find(contactId);
      if (contact?.phone !== phone || contact.messagingId !== messagingId || contact.mergedInto !== null) return false;
      resolveSighting(ledger, sighting);
      return true;
    },
  };
}

/**
 * Finds or makes the contacts of sightings.
 *
 * @throws CONTACT_NOT_FOUND when a sighting names one that does not exist
 */
export function resolveContacts(
  organizationId: string,
  sightings: readonly ContactSighting[],
  traceparent: string | null,
): ContactChange<ResolvedSightings> {
  const contactIds = sightings.flatMap(({ contactId }) => contactId ?? []);
  return {
    organizationId,
    aliases: sightings.flatMap(aliasesOf),
    contactIds,
    formerAliases: sightings.flatMap(formerAliasesOf),
    traceparent,
    decide: (ledger) => {
      if (contactIds.some((id) => !ledger.findGoingOn(id))) throw new AppError(contactsErrors.CONTACT_NOT_FOUND);
      const formerIds = new Set<string>();
      const contacts = sightings.map((sighting) => {
        const { contact, former } = resolveSighting(ledger, sighting);
        // Also when nothing of them changes: the asker may not have stored what a former answer said.
        for (const { id } of former) formerIds.add(id);
        return contact && factsOf(sighting.hasNoOwner === true ? ledger.confirm(contact) : contact);
      });
      const also = [...formerIds].flatMap((id) => ledger.findGoingOn(id) ?? []);
      return { contacts, also: also.map(factsOf) };
    },
  };
}
