import type { UpsertContactRequest } from '@switchboard/contracts/contacts/rpc';
import type { Phone } from '@switchboard/phone';
import { aliasList } from '../contact/alias.policy.js';
import type { ContactChange } from '../contact/change-contacts.js';
import type { Contact } from '../contact/contact.entity.js';

/** What a caller wants of a contact, with its phone read. */
export interface ContactInput extends Pick<UpsertContactRequest, 'name' | 'email'> {
  readonly phone: Phone;
  /** Of the contact that there will be, where it is new: by it the tries of one call know what they have made. */
  readonly newId?: string | undefined;
}

/** Makes the contact of a phone, or changes it; a no-op update emits no event. `isNew` is the same for every try of a call. */
export function upsertContact(
  organizationId: string,
  { phone, name, email, newId }: ContactInput,
  traceparent: string | null,
): ContactChange<{ readonly contact: Contact; readonly isNew: boolean }> {
  return {
    organizationId,
    aliases: phone.aliases,
    contactIds: [],
    traceparent,
    decide: (ledger) => {
      const known = ledger.findByAlias(phone.aliases);
      if (!known) {
        const made = { phone: phone.phone, aliases: phone.aliases, messagingId: phone.phone.slice(1) };
        return { contact: ledger.create({ ...made, name: name ?? null, email: email ?? null }, newId), isNew: true };
      }
      const next = {
        name: name === undefined ? known.name : name,
        email: email === undefined ? known.email : email,
        aliases: aliasList(known.aliases, ledger.free(phone.aliases)),
      };
      const isSame =
        next.name === known.name && next.email === known.email && next.aliases.length === known.aliases.length;
      return { contact: isSame ? known : ledger.change(known, next), isNew: known.id === newId };
    },
  };
}
