import type { ContactView } from '@switchboard/contracts/contacts/http';
import { ALL_CHANNELS, type ContactFacts } from '@switchboard/contracts/contacts/rpc';
import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { isPhoneForm } from './alias.policy.js';
import type { Contact, OptOut } from './contact.entity.js';

/** `coverage` of a contact with an opt-out of all channels. */
const COVERS_ALL = -1;
/** Between the parts of `searchTextOf`; no part and no term holds it, so that nothing is found across two parts. */
const SEARCH_SEPARATOR = '\u001f';
/** Between the grams while `search_grams` makes them; no text holds it either. */
const GRAM_SEPARATOR = '\u001e';

/** The facts of a contact that other services get. */
export function factsOf(contact: Contact): ContactFacts {
  const { id, phone, name, messagingId, version, aliases, optOuts, mergedInto } = contact;
  return {
    id,
    phone,
    phoneForms: aliases.filter(isPhoneForm),
    name,
    messagingId,
    version,
    optOuts: optOuts.map(({ channelId, source }) => ({ channelId, source })),
    ...(mergedInto !== null && { mergedInto }),
  };
}

/**
 * How much of an organization's channels a contact's opt-outs cover, as one number that an index can order by: the count
 * of single channels, or `COVERS_ALL`.
 */
export function coverageOf(optOuts: readonly OptOut[]): number {
  return coversAll(optOuts) ? COVERS_ALL : optOuts.length;
}

/** True when one of the opt-outs is of all channels. */
export function coversAll(optOuts: readonly OptOut[]): boolean {
  return optOuts.some(({ channelId }) => channelId === ALL_CHANNELS);
}

/**
 * The coverages that mean «opted out»: every channel of the organization is covered.
 *
 * @param channels how many the organization has; with none, only an opt-out of all covers
 */
export function fullCoverages(channels: number): readonly number[] {
  return channels === 0 ? [COVERS_ALL] : [COVERS_ALL, channels];
}

/** The coverages that mean «not opted out», all that can be. */
export function partialCoverages(channels: number): readonly number[] {
  return Array.from({ length: Math.max(channels, 1) }, (_, coverage) => coverage);
}

/** A contact as the API shows it. @param channels how many the organization has */
export function contactView(contact: ContactViewParts, channels: number): ContactView {
  const { id, phone, messagingId, name, email, coverage, optedOutChannelIds, updatedAt } = contact;
  const createdAt = cuidTime(id);
  return {
    id,
    phone,
    messagingId,
    name,
    email,
    isOptedOut: fullCoverages(channels).includes(coverage),
    optedOutChannelIds: [...optedOutChannelIds].sort(),
    createdAt: createdAt.toISOString(),
    // Its id is drawn a moment after the time of the change that makes it.
    updatedAt: (updatedAt < createdAt ? createdAt : updatedAt).toISOString(),
  };
}

/** What the view is made of. */
export interface ContactViewParts extends Pick<
  Contact,
  'id' | 'phone' | 'messagingId' | 'name' | 'email' | 'updatedAt'
> {
  readonly coverage: number;
  readonly optedOutChannelIds: readonly string[];
}

/** What the view of a contact in hand is made of. */
export function viewPartsOf(contact: Contact): ContactViewParts {
  const singles = contact.optOuts.filter(({ channelId }) => channelId !== ALL_CHANNELS);
  return {
    ...contact,
    coverage: coverageOf(contact.optOuts),
    optedOutChannelIds: singles.map(({ channelId }) => channelId),
  };
}

/** What a contact is searched in: its name, phone and email, folded as terms are. */
export function searchTextOf({ name, phone, email }: Pick<Contact, 'name' | 'phone' | 'email'>): string {
  return [name ?? '', phone, email ?? ''].map(foldForSearch).join(SEARCH_SEPARATOR);
}

/**
 * A text as searching compares it: any case is one, and so are the composed and decomposed forms of a letter. Upper case,
 * because lower case depends on the neighbours of a letter (Greek sigma); of the lower case, because a letter may have two
 * upper ones (SS and ẞ). The Turkish İ is I: `i` is the lower case of both. Two signs are the search's own.
 */
export function foldForSearch(text: string): string {
  const upper = text.toLowerCase().toUpperCase().normalize('NFC');
  const folded = upper.replace(/\u0130\u0307*/g, 'I').normalize('NFC');
  return folded.replaceAll(SEARCH_SEPARATOR, ' ').replaceAll(GRAM_SEPARATOR, ' ');
}
