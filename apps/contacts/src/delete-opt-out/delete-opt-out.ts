import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { ContactChange } from '../contact/change-contacts.js';
import type { Contact } from '../contact/contact.entity.js';
import type { Lift } from './unconfirmed-lift.repository.js';

/** Lifts an opt-out of a contact; one that has been lifted, by a former try or by another call, stays so. */
export function deleteOptOut(
  { organizationId, optOutId, contactId }: Lift,
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
