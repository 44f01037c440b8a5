import type { ContactSighting } from '@switchboard/contracts/contacts/rpc';
import { asOneLine, hasVisible } from '@switchboard/contracts/grammar/one-line';
import { aliasList, isPhoneForm, messagingForms, moveMark, phoneForms, userAlias } from '../contact/alias.policy.js';
import { appliedToBoth, withMove, withoutErasure, withoutOwn } from '../contact/applied-statements.policy.js';
import type { Consent, Contact } from '../contact/contact.entity.js';
import type { ContactLedger, ContactPatch } from '../contact/contact-ledger.js';
import { speakersAmong } from '../contact/former-holder.policy.js';
import { isSince } from '../contact/number-since.policy.js';
import { optOutsOfBoth } from '../contact/opt-outs-of-both.policy.js';
import { preferencePatch, type Statement } from '../opt-out/preference.policy.js';

const NAME_CODE_POINTS_MAX = 256;

/** Everything that a sighting's contact, and the one it may come from, can be found by. */
export function aliasesOf(sighting: ContactSighting): readonly string[] {
  return aliasList(numberFormsOf(sighting), userAliasesOf(sighting), phoneForms(sighting.formerPhone));
}

/** What somebody states under a number may be of a contact that had it then, and whoever is known by an id may have it no more. */
export function formerAliasesOf(sighting: ContactSighting): readonly string[] {
  const mayBeFormer = sighting.preference || (sighting.seenAt && sighting.upstreamUserId);
  return mayBeFormer ? numberFormsOf(sighting) : [];
}

/** The contacts of a sighting. */
export interface SightedContacts {
  /** Null: a note of the upstream of which none is made. */
  readonly contact: Contact | null;
  /** Others of which is what was stated, because they had the number then; as they were before. */
  readonly former: readonly Contact[];
}

/**
 * The contact of a sighting, found, made or changed.
 *
 * It belongs to the contact that has its phone in any written form, else the upstream's id as a phone, else the upstream's
 * own id of the person, else to a new one. It sets `messagingId`, adds written forms and fills an empty name, and never
 * replaces one. One that names its contact is of no other, and changes nothing when the phone leads to that contact no more.
 *
 * Consent follows the person: where two contacts turn out to be one person, the one that goes on gets the opt-outs of the other and
 * what was stated there, and the id of the other stands for it from then on.
 *
 * What was stated under a number before that changed is of the contact that moved, also when it comes behind the note of it.
 */
export function resolveSighting(ledger: ContactLedger, given: ContactSighting): SightedContacts {
  const sighting = withoutFormerNumber(ledger, given);
  const { former, isTheirsAlone } = formerSpeakersOf(ledger, sighting);
  for (const contact of former) state(ledger, contact, sighting);
  const left = isTheirsAlone ? { ...sighting, preference: null, statement: null } : sighting;
  return { contact: resolve(ledger, left), former };
}

/**
 * The contacts, but for that of the number now, of which is what a sighting states. Where the times leave a doubt, a STOP is of whoever has the
 * number now, too, and a START lifts nothing of anybody.
 */
function formerSpeakersOf(
  ledger: ContactLedger,
  sighting: ContactSighting,
): { readonly former: readonly Contact[]; readonly isTheirsAlone: boolean } {
  const { preference, statement } = sighting;
  if (!preference || !statement) return { former: [], isTheirsAlone: false };
  const forms = numberFormsOf(sighting);
  const { contactIds, isSure } = speakersAmong(ledger.formerHoldersOf(forms), statement.at);
  const current = ledger.findByAlias(forms);
  // One that is erased says nothing any more, and one that has the number again is found by it.
  const found = new Set(contactIds.flatMap((id) => ledger.findGoingOn(id) ?? []));
  const former = [...found].filter((contact) => contact !== current);
  if (former.length === 0) return { former, isTheirsAlone: false };
  const isStop = preference.value === 'stop';
  return { former: isSure || isStop ? former : [], isTheirsAlone: isSure || !isStop };
}

/** Of a person who is known by the upstream's own id, and had the number until after they wrote: it leads to them no more. */
function withoutFormerNumber(ledger: ContactLedger, sighting: ContactSighting): ContactSighting {
  const person = ledger.findByAlias(userAliasesOf(sighting));
  const forms = numberFormsOf(sighting);
  if (!sighting.seenAt || !person || person === ledger.findByAlias(forms)) return sighting;
  const { contactIds } = speakersAmong(ledger.formerHoldersOf(forms), sighting.seenAt);
  const isFormer = contactIds.some((id) => ledger.findGoingOn(id) === person);
  return isFormer ? { ...sighting, phone: null, messagingId: null } : sighting;
}

function resolve(ledger: ContactLedger, sighting: ContactSighting): Contact | null {
  const named = sighting.contactId ? ledger.findGoingOn(sighting.contactId) : undefined;
  const isOfAnother = (): boolean => ledger.findByAlias(phoneForms(sighting.phone))?.id !== named?.id;
  if (named && isOfAnother()) return named;
  partAccounts(ledger, sighting);
  if (named && isOfAnother()) return ledger.find(named.id) ?? named;
  const moved = followNumber(ledger, sighting);
  joinAccount(ledger, sighting);
  const known = joinUser(ledger, sighting) ?? moved;
  if (!known && isOfNone(ledger, sighting)) return null;
  return state(ledger, known ? sighted(ledger, known, sighting) : create(ledger, sighting), sighting);
}

function state(ledger: ContactLedger, contact: Contact, { preference, statement }: ContactSighting): Contact {
  const patch = preference && statement ? preferencePatch(contact, preference, statement, ledger.newId) : null;
  // A STOP also where it changes nothing here: messaging may have the removal of an opt-out that a restore brought back. A START
  // that removes nothing here must take nothing away there.
  return patch ? ledger.change(contact, patch, { isConfirmed: preference?.value === 'stop' }) : contact;
}

/** The person's number changed: their contact continues under the new one; another person may soon have the old forms. */
function followNumber(ledger: ContactLedger, sighting: ContactSighting): Contact | undefined {
  const forms = numberFormsOf(sighting);
  const current = ledger.findByAlias(forms);
  const { phone, formerPhone, statement } = sighting;
  if (!formerPhone || !phone || !statement) return current;
  if (current?.appliedStatements?.moves.includes(statement.id)) return current;
  // It was of a contact that is erased by now: whoever has the old number since has not moved.
  if (ledger.held.isErased([moveMark(statement.id)])) return current;
  const formerForms = phoneForms(formerPhone);
  const former = ledger.findByAlias(formerForms);
  const isPerson = former && (former === current || former === ledger.findByAlias(userAliasesOf(sighting)));
  if (!former || (!isPerson && isSince(former, statement.at))) {
    return copyConsent(ledger, former ?? ledger.held.consentFor(formerForms), forms, statement);
  }
  const appliedStatements = withMove((current ?? former).appliedStatements, statement);
  const persons = former.aliases.filter((alias) => !isPhoneForm(alias));
  if (!current || current === former) {
    const aliases = aliasList(persons, ledger.free(forms, former));
    const messagingId = sighting.messagingId ?? phone.slice(1);
    return ledger.change(former, { phone, aliases, messagingId, appliedStatements }, { movedAt: statement.at });
  }
  const patch = { aliases: aliasList(current.aliases, persons), appliedStatements };
  return ledger.merge(former, current, patch, { movedAt: statement.at });
}

/**
 * The number changed of a person whose opt-outs are held for it alone, or whose contact may be the one that has it since: they
 * hold for the new number too, and go on holding for the former one, which may be of the same person again. Once for a note: what
 * is lifted since does not come back.
 */
function copyConsent(
  ledger: ContactLedger,
  left: Consent,
  forms: readonly string[],
  statement: Statement,
): Contact | undefined {
  const current = ledger.findByAlias(forms);
  if (left.optOuts.length === 0) return current;
  if (!current) {
    ledger.held.hold(forms, consentOfBoth(ledger, ledger.held.consentFor(forms), left));
    ledger.held.mark(moveMark(statement.id), statement.at);
    return undefined;
  }
  const moved = { ...current, appliedStatements: withMove(current.appliedStatements, statement) };
  const appliedStatements = withoutErasure(left.appliedStatements);
  return ledger.change(current, consentOfBoth(ledger, moved, { ...left, appliedStatements }));
}

/**
 * The upstream's id of a phone's account is a number that has a contact of its own: what is sent to either reaches one person. The contact
 * of the phone goes on.
 */
function joinAccount(ledger: ContactLedger, { phone, messagingId, formerPhone }: ContactSighting): void {
  const account = messagingForms(messagingId);
  const byPhone = ledger.findByAlias(phoneForms(phone));
  const byAccount = ledger.findByAlias(account);
  if (formerPhone || !byPhone || !byAccount || byPhone === byAccount) return;
  if (messagingForms(byAccount.messagingId).some((form) => account.includes(form))) {
    ledger.merge(byAccount, byPhone, { aliases: aliasList(byPhone.aliases, byAccount.aliases) });
  } else if (byPhone.messagingId !== messagingId) {
    // By its own last answer the other is another account: the number changed hands, and the opt-outs may be of whoever has it now.
    ledger.change(byPhone, consentOfBoth(ledger, byPhone, byAccount));
  }
}

/**
 * The upstream gives a phone another account than the contact has, which is of a number of the contact as well: two accounts, two persons. The
 * contact keeps the number that it shows. The other is free, with the upstream's own ids of the person whose account it was, and whoever has
 * it next begins with the same consent.
 */
function partAccounts(ledger: ContactLedger, sighting: ContactSighting): void {
  const { phone, messagingId, formerPhone } = sighting;
  const [written, account] = [phoneForms(phone), messagingForms(messagingId)];
  const contact = ledger.findByAlias(written);
  if (formerPhone || !contact || account.length === 0) return;
  const former = messagingForms(contact.messagingId);
  const shown = phoneForms(contact.phone);
  if (former.some((form) => account.includes(form) || written.includes(form))) return;
  const keepsAccount = former.some((form) => shown.includes(form));
  const others = keepsAccount ? [...written, ...account] : former;
  const numbers = contact.aliases.filter((alias) => others.includes(alias) && !shown.includes(alias));
  if (numbers.length === 0) return;
  // Left with the contact they would lead the other person back to it.
  const present = [...userAliasesOf(sighting), ...(keepsAccount ? contact.aliases : [])];
  const users = contact.aliases.filter((alias) => !isPhoneForm(alias) && !present.includes(alias));
  const parted = [...numbers, ...users];
  ledger.change(contact, { aliases: contact.aliases.filter((alias) => !parted.includes(alias)) });
  ledger.held.hold(parted, { ...contact, appliedStatements: withoutOwn(contact.appliedStatements) });
}

/** The upstream's own id of a person belongs to the contact that was last seen with it. */
function joinUser(ledger: ContactLedger, sighting: ContactSighting): Contact | undefined {
  const users = userAliasesOf(sighting);
  const byUser = ledger.findByAlias(users);
  const byNumber = ledger.findByAlias(numberFormsOf(sighting));
  if (!byUser || !byNumber || byUser === byNumber) return byNumber ?? byUser;
  const left = byUser.aliases.filter((alias) => !users.includes(alias));
  const aliases = aliasList(byNumber.aliases, users);
  if (left.length === 0) return ledger.merge(byUser, byNumber, { aliases });
  // It has a number, by which it goes on as well, with what was said there.
  ledger.change(byUser, { aliases: left });
  return ledger.change(byNumber, { aliases, ...consentOfBoth(ledger, byNumber, byUser) });
}

/** The consent of a contact with that of another, which keeps its own. */
function consentOfBoth(ledger: ContactLedger, contact: Consent, other: Consent): Consent {
  return {
    appliedStatements: appliedToBoth(contact.appliedStatements, withoutOwn(other.appliedStatements)),
    optOuts: optOutsOfBoth(contact, other, ledger.newId),
  };
}

/**
 * Whether no contact is made of a note of the upstream: a changed number alone says nothing of a person who is unknown, a preference in the
 * settings that is repeated neither. Of a person who was erased lately none makes a contact: what it changes of opt-outs is held.
 */
function isOfNone(ledger: ContactLedger, sighting: ContactSighting): boolean {
  const { isNote = false, preference, statement } = sighting;
  if (!isNote || !preference || !statement) return isNote;
  const aliases = aliasList(numberFormsOf(sighting), userAliasesOf(sighting));
  const held = ledger.held.consentFor(aliases);
  const patch = preferencePatch(held, preference, statement, ledger.newId);
  if (patch && !ledger.held.isErased(aliases)) return false;
  if (patch) ledger.held.hold(aliases, { ...held, ...patch });
  return true;
}

function sighted(ledger: ContactLedger, contact: Contact, sighting: ContactSighting): Contact {
  const patch: { -readonly [Field in keyof ContactPatch]: ContactPatch[Field] } = {};
  const free = ledger.free([...numberFormsOf(sighting), ...userAliasesOf(sighting)]);
  if (free.length > 0) patch.aliases = aliasList(contact.aliases, free);
  const { messagingId, phone } = sighting;
  if (contact.phone === '' && phone) patch.phone = phone;
  // Until the upstream says otherwise a number's id is its digits.
  const ownId = messagingId ?? (patch.phone && phone ? phone.slice(1) : contact.messagingId);
  if (ownId !== contact.messagingId) patch.messagingId = ownId;
  const name = contact.name ?? nameOf(sighting.profileName);
  if (name !== contact.name) patch.name = name;
  return Object.keys(patch).length > 0 ? ledger.change(contact, patch) : contact;
}

function create(ledger: ContactLedger, sighting: ContactSighting): Contact {
  const { phone, messagingId, upstreamUserId, profileName } = sighting;
  return ledger.create({
    phone: phone ?? '',
    aliases: [...numberFormsOf(sighting), ...userAliasesOf(sighting)],
    messagingId: messagingId ?? phone?.slice(1) ?? upstreamUserId ?? '',
    name: nameOf(profileName),
    email: null,
  });
}

/** Forms of the phone first: it decides before the upstream's id does. */
function numberFormsOf({ phone, messagingId }: ContactSighting): readonly string[] {
  return [...new Set([...phoneForms(phone), ...messagingForms(messagingId)])];
}

function userAliasesOf({ upstreamUserId }: ContactSighting): readonly string[] {
  return upstreamUserId ? [userAlias(upstreamUserId)] : [];
}

/**
 * A profile name as we keep it, as the API would take it; null when nothing is left to see. The person chose it: it is cut and
 * cleaned, never refused, because their message would be refused with it. Source: docs/api-behaviour.md#text.
 */
function nameOf(profileName: string | null): string | null {
  const clean = asOneLine(profileName ?? '')
    .toWellFormed()
    .trim();
  const name = [...clean].slice(0, NAME_CODE_POINTS_MAX).join('');
  return hasVisible(name) ? name : null;
}
