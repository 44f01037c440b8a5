import type { ContactFacts, ContactSighting } from '@switchboard/contracts/contacts/rpc';
import type { ContactChange } from '../contact/change-contacts.js';
import { factsOf } from '../contact/contact.policy.js';
import { aliasesOf, resolveSighting } from './resolve-sighting.policy.js';

/** Finds or makes the contacts of sightings: one contact per sighting, in order. */
export function resolveContacts(
  organizationId: string,
  sightings: readonly ContactSighting[],
  traceparent: string | null,
): ContactChange<readonly ContactFacts[]> {
  return {
    organizationId,
    aliases: sightings.flatMap(aliasesOf),
    contactIds: [],
    traceparent,
    decide: (ledger) =>
      sightings.map((sighting) => {
        const contact = resolveSighting(ledger, sighting);
        return factsOf(sighting.hasNoOwner === true ? ledger.confirm(contact) : contact);
      }),
  };
}
