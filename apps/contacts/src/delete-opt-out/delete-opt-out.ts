import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { ContactChange } from '../contact/change-contacts.js';
import type { Contact } from '../contact/contact.entity.js';
import type { Removal } from './unconfirmed-removal.repository.js';

/** Removes an opt-out of a contact. A no-op when a former try or another call has removed it. */
export function deleteOptOut(
  { organizationId, optOutId, contactId }: Removal,
  traceparent: string | null,
): ContactChange<Contact> {
  return {
    organizationId,
    aliases: [],
    contactIds: [contactId],
    traceparent,
    decide: (ledger) => {
      const contact = ledger.find(contactId);
      if (!contact) throw new AppError(contactsErrors.OPT_OUT_NOT_FOUND);
      const left = contact.optOuts.filter(({ id }) => id !== optOutId);
      return left.length === contact.optOuts.length ? contact : ledger.change(contact, { optOuts: left });
    },
  };
}
