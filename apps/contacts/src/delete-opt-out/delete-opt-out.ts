import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { ContactChange } from '../contact/change-contacts.js';
import type { Contact } from '../contact/contact.entity.js';

/** Lifts an opt-out of a contact. The change throws OPT_OUT_NOT_FOUND when another call has lifted it. */
export function deleteOptOut(
  organizationId: string,
  { id, contactId }: { readonly id: string; readonly contactId: string },
  traceparent: string | null,
): ContactChange<Contact> {
  return {
    organizationId,
    aliases: [],
    contactIds: [contactId],
    traceparent,
    decide: (ledger) => {
      const contact = ledger.find(contactId);
      const left = contact?.optOuts.filter((optOut) => optOut.id !== id) ?? [];
      if (!contact || left.length === contact.optOuts.length) throw new AppError(contactsErrors.OPT_OUT_NOT_FOUND);
      return ledger.change(contact, { optOuts: left });
    },
  };
}
