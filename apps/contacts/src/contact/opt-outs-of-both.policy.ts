import type { Contact, OptOut } from './contact.entity.js';

/**
 * The opt-outs of a contact and those of another that are of other channels, oldest first: both are the same person.
 *
 * @param idOf the id that one of the other's has here: its own where it moves, a new one where the other keeps it
 */
export function optOutsOfBoth(
  contact: Pick<Contact, 'optOuts'>,
  other: Pick<Contact, 'optOuts'>,
  idOf: (optOut: OptOut) => string,
): readonly OptOut[] {
  const covered = new Set(contact.optOuts.map(({ channelId }) => channelId));
  const gained = other.optOuts.filter(({ channelId }) => !covered.has(channelId));
  if (gained.length === 0) return contact.optOuts;
  const all = [...contact.optOuts, ...gained.map((optOut) => ({ ...optOut, id: idOf(optOut) }))];
  return all.sort((one, next) => (one.id < next.id ? -1 : 1));
}
