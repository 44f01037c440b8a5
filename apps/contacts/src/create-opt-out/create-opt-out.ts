import { contactsErrors } from '@switchboard/contracts/contacts/errors';
import type { OptOutSource } from '@switchboard/contracts/contacts/http';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { Phone } from '@switchboard/phone';
import type { ContactChange } from '../contact/change-contacts.js';
import type { Contact, OptOut } from '../contact/contact.entity.js';
import type { ContactLedger } from '../contact/contact-ledger.js';

/** An opt-out that is wanted, with everything read. */
export interface OptOutInput {
  /** Whose; an unknown phone makes a contact, a merged contact stands for the one that goes on. */
  readonly of: { readonly contactId: string } | { readonly phone: Phone };
  /** A channel of the organization, or `ALL_CHANNELS`. */
  readonly channelId: string;
  readonly source: OptOutSource;
  readonly reason: string | null;
  /** Of the opt-out that there will be, where it is new: by it the tries of one call know what they have made. */
  readonly newId?: string | undefined;
}

/** Records an opt-out, or finds the existing one. `isNew` is the same for every try of a call. */
export function createOptOut(
  organizationId: string,
  input: OptOutInput,
  traceparent: string | null,
): ContactChange<{ readonly contact: Contact; readonly optOut: OptOut; readonly isNew: boolean }> {
  const { channelId, source, reason, newId } = input;
  return {
    organizationId,
    aliases: 'phone' in input.of ? input.of.phone.aliases : [],
    contactIds: 'contactId' in input.of ? [input.of.contactId] : [],
    traceparent,
    decide: (ledger) => {
      const contact = contactOf(ledger, input.of);
      const standing = contact.optOuts.find((optOut) => optOut.channelId === channelId);
      // Messaging may hold a removal of it that a restore has lost here.
      if (standing) return { contact: ledger.confirm(contact), optOut: standing, isNew: standing.id === newId };
      const optOut: OptOut = { id: newId ?? ledger.newId(), channelId, source, reason };
      // Its event is stored once: a late try finds it, when somebody has removed the opt-out since.
      const changed = ledger.change(contact, { optOuts: [...contact.optOuts, optOut] }, { changeId: newId ?? null });
      return { contact: changed, optOut, isNew: true };
    },
  };
}

/** @throws CONTACT_NOT_FOUND */
function contactOf(ledger: ContactLedger, of: OptOutInput['of']): Contact {
  if ('contactId' in of) {
    const contact = ledger.findGoingOn(of.contactId);
    if (!contact) throw new AppError(contactsErrors.CONTACT_NOT_FOUND);
    return contact;
  }
  const { phone, aliases } = of.phone;
  const made = { phone, aliases, messagingId: phone.slice(1), name: null, email: null };
  return ledger.findByAlias(aliases) ?? ledger.create(made);
}
