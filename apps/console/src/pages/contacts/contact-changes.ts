import type { Contact, UpsertContactBody } from '../../api/api.generated.js';
import { call } from '../../api/call.js';
import { Problem, problemOf } from '../../api/problem.js';

/** What people set of a contact. */
export type ContactFields = Pick<Contact, 'name' | 'email'>;

/**
 * The fields that a form has changed, and no other: what a colleague has set meanwhile stays.
 *
 * @param before when the form was opened; null for a new contact, whose empty fields clear nothing of one that has the number already
 * @param after as typed: an emptied field is cleared
 */
export function changesOf(
  before: ContactFields | null,
  after: { readonly name: string; readonly email: string },
): Pick<UpsertContactBody, 'name' | 'email'> {
  const [name, email] = [orNull(after.name), orNull(after.email)];
  return {
    ...(name === orNull(before?.name ?? '') ? {} : { name }),
    ...(email === orNull(before?.email ?? '') ? {} : { email }),
  };
}

/**
 * Saves a contact. One that is there is read first: the API finds it by its number, and would make an erased one anew.
 *
 * @param before null for a new contact
 * @throws Problem when it is gone, with nothing sent
 */
export async function saveContact(before: Pick<Contact, 'id'> | null, body: UpsertContactBody): Promise<Contact> {
  if (before) await requireContact(before.id);
  return call('upsertContact', { body });
}

async function requireContact(id: string): Promise<void> {
  try {
    await call('getContact', { path: { id } });
  } catch (error) {
    const { status, code, requestId } = problemOf(error);
    if (status !== 404) throw error;
    throw new Problem(status, code, 'This contact is gone: it was erased meanwhile. Nothing was saved.', requestId);
  }
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}
