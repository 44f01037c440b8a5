import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import type { ContactFacts, ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { ContactChange } from '../contact/change-contacts.js';
import { factsOf } from '../contact/contact.policy.js';
import { aliasesOf, resolveSighting } from './resolve-sighting.policy.js';

/**
 * Finds or makes the contacts of sightings: one contact per sighting, in order; null for a note of which none is made.
 *
 * @throws CONTACT_NOT_FOUND when a sighting names one that does not exist
 */
export function resolveContacts(
  organizationId: string,
  sightings: readonly ContactSighting[],
  traceparent: string | null,
): ContactChange<readonly (ContactFacts | null)[]> {
  const contactIds = sightings.flatMap(({ contactId }) => contactId ?? []);
  return {
    organizationId,
    aliases: sightings.flatMap(aliasesOf),
    contactIds,
    traceparent,
    decide: (ledger) => {
      if (contactIds.some((id) => !ledger.findGoingOn(id))) throw new AppError(contactsErrors.CONTACT_NOT_FOUND);
      return sightings.map((sighting) => {
        const contact = resolveSighting(ledger, sighting);
        return contact && factsOf(sighting.hasNoOwner === true ? ledger.confirm(contact) : contact);
      });
    },
  };
}
