import type { ContactFacts, ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { phoneFromDigits } from '@switchboard/phone';

const NAME_CODE_POINTS_MAX = 256;

/** The contact that a first sighting makes; its upstream id is the phone's digits until a sighting tells it. */
export function contactOf(id: string, sighting: ContactSighting): ContactFacts {
  const phone = sighting.phone ?? '';
  const messagingId = sighting.messagingId ?? phone.slice(1);
  return {
    id,
    phone,
    phoneForms: formsOf(sighting),
    name: nameOf(sighting.profileName),
    messagingId,
    version: 1,
  };
}

/**
 * What a further sighting makes of a contact: it sets the upstream's id, fills an empty name and adds written forms.
 *
 * @param freeForms those of the sighting's forms that no other contact has
 * @returns the same object when it tells nothing new
 */
export function sighted(contact: ContactFacts, sighting: ContactSighting, freeForms: readonly string[]): ContactFacts {
  const messagingId = sighting.messagingId ?? contact.messagingId;
  const name = contact.name ?? nameOf(sighting.profileName);
  const added = freeForms.filter((form) => !contact.phoneForms.includes(form));
  if (messagingId === contact.messagingId && name === contact.name && added.length === 0) return contact;
  const phoneForms = [...contact.phoneForms, ...added].sort();
  return { ...contact, messagingId, name, phoneForms, version: contact.version + 1 };
}

/** Every E.164 form under which the sighted subscriber may be written: of the phone, and of the upstream's id. */
export function formsOf(sighting: ContactSighting): readonly string[] {
  return [...new Set([...phoneForms(sighting.phone ?? ''), ...messagingForms(sighting.messagingId)])].sort();
}

/** The forms of a phone, sorted; none when it is no E.164 number. */
export function phoneForms(phone: string): readonly string[] {
  return phone.startsWith('+') ? (phoneFromDigits(phone.slice(1))?.aliases.toSorted() ?? []) : [];
}

/** The forms of an upstream's id that is a number's digits; an upstream user id has none. */
export function messagingForms(messagingId: string | null): readonly string[] {
  return messagingId === null ? [] : (phoneFromDigits(messagingId)?.aliases.toSorted() ?? []);
}

/**
 * A profile name as we keep it; null when nothing is left. The person chose it: it is cut and cleaned, never refused,
 * because their message would be refused with it.
 */
function nameOf(profileName: string | null): string | null {
  const clean = (profileName ?? '').replaceAll('\0', '').toWellFormed().trim();
  return [...clean].slice(0, NAME_CODE_POINTS_MAX).join('') || null;
}
