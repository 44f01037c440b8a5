import type { OptOutSource } from '@switchboard/contracts/contacts/http';
import type { Contact, OptOut } from './contact.entity.js';

/** Whether a START of the person removes an opt-out of this source. */
export function isLiftedByStart(source: OptOutSource): boolean {
  return source === 'KEYWORD' || source === 'UPSTREAM';
}

/**
 * The opt-outs of a contact and those of another that are of other channels, oldest first: both are the same person. One of the other that
 * no START removes leaves its source and its reason to one of the contact that a START would remove.
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
  const lasting = new Map(
    other.optOuts.filter(({ source }) => !isLiftedByStart(source)).map((optOut) => [optOut.channelId, optOut]),
  );
  const replaced = contact.optOuts.filter(({ channelId, source }) => isLiftedByStart(source) && lasting.has(channelId));
  if (gained.length === 0 && replaced.length === 0) return contact.optOuts;
  const own = contact.optOuts.map((optOut): OptOut => {
    const { source, reason } = (replaced.includes(optOut) && lasting.get(optOut.channelId)) || optOut;
    return { ...optOut, source, reason };
  });
  const all = [...own, ...gained.map((optOut) => ({ ...optOut, id: idOf(optOut) }))];
  return all.sort((one, next) => (one.id < next.id ? -1 : 1));
}
