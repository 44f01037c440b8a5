import { ALL_CHANNELS } from '@switchboard/contracts/contacts/rpc';
import type { Contact, OptOut } from './contact.entity.js';

/** The opt-outs of a contact and, for what they do not cover, copies of another's: both are the same person. */
export function optOutsOfBoth(
  contact: Contact,
  other: Pick<Contact, 'optOuts'>,
  newId: () => string,
): readonly OptOut[] {
  const covered = new Set(contact.optOuts.map(({ channelId }) => channelId));
  if (covered.has(ALL_CHANNELS)) return contact.optOuts;
  const copied = other.optOuts.filter(({ channelId }) => !covered.has(channelId));
  return [...contact.optOuts, ...copied.map((optOut) => ({ ...optOut, id: newId() }))];
}
