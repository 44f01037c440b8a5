import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { ContactChange } from '../contact/change-contacts.js';
import type { Contact } from '../contact/contact.entity.js';
import type { Removal } from './unconfirmed-removal.repository.js';

/**
 * Removes an opt-out of a contact. A no-op when a former try or another call has removed it.
 *
 * @param callId of the removal's event, by which the tries of one call know what they have done
 */
export function deleteOptOut(
  { organizationId, optOutId, contactId }: Removal,
  traceparent: string | null,
  callId: string | null = null,
): ContactChange<Contact> {
  return {
    organizationId,
    aliases: [],
    contactIds: [contactId],
    traceparent,
    decide: (ledger) => {
      // Merged since the opt-out was read, it has moved.
      const contact = ledger.findGoingOn(contactId);
      if (!contact) throw new AppError(contactsErrors.OPT_OUT_NOT_FOUND);
      const left = contact.optOuts.filter(({ id }) => id !== optOutId);
      if (left.length === contact.optOuts.length) return ledger.confirm(contact);
      return ledger.change(contact, { optOuts: left }, { removalId: callId });
    },
  };
}
