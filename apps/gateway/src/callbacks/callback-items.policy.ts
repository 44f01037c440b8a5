import type {
  UpstreamMessageItem,
  UpstreamPreferenceItem,
  UpstreamStatusItem,
} from '@switchboard/contracts/gateway/events';
import { isUpstreamId } from '@switchboard/contracts/grammar/upstream-id';

/** An object of a callback whose members are unchecked. */
export type Json = Readonly<Record<string, unknown>>;

/** An id of a person that has nothing to do with a number: printable, without blanks. */
const USER_ID = /^[!-~]{1,128}$/;
/** Longer words for a kind say nothing. */
const WORD_MAX = 100;
const LINE_ID_MAX = 300;
/** More of a name is shown nowhere: a contact's has at most 256 characters. */
const NAME_MAX = 1_000;
/** The type of an item that names none. */
const UNKNOWN_TYPE = 'unknown';

/** A status with everything that we rely on; null without an id and a status. What else it holds stays as it came. */
export function statusOf(item: unknown): UpstreamStatusItem | null {
  if (!isObject(item)) return null;
  const { id, status, timestamp, recipient_id, biz_opaque_callback_data: reference, errors, ...rest } = item;
  if (!isUpstreamId(id) || !isWord(status)) return null;
  const recipient = textOf(recipient_id);
  return {
    ...rest,
    id,
    status,
    timestamp: textOf(timestamp),
    // Only a refusal needs the number: it may be an opt-out, and its words are found by the number when the contact is erased.
    ...(recipient !== '' && errors !== undefined && { recipient_id: recipient }),
    ...(typeof reference === 'string' && { biz_opaque_callback_data: reference }),
    ...(errors !== undefined && { errors: listOf(errors).flatMap(errorOf) }),
  };
}

/**
 * A message with its sender's profile; null without an id of its own. Whatever else is missing is left to whoever stores
 * it: a sender may be known by the upstream's own id alone, then `from` is empty.
 */
export function messageOf(item: unknown, contacts: KnownContacts): UpstreamMessageItem | null {
  if (!isObject(item) || !isUpstreamId(item.id)) return null;
  const from = textOf(item.from).replace(/^\+/, '');
  const type = isWord(item.type) ? item.type : UNKNOWN_TYPE;
  const contact = contacts.find(from, item.from_user_id);
  const userId = [item.from_user_id, contact?.user_id].find(isUserId);
  return {
    message: { ...item, id: item.id, from, timestamp: textOf(item.timestamp), type } as UpstreamMessageItem['message'],
    profileName: profileNameOf(contact),
    ...(userId !== undefined && { userId }),
  };
}

/** A preference with the profile of its person; null without a person or a preference. */
export function preferenceOf(
  item: unknown,
  contacts: KnownContacts,
): { readonly item: UpstreamPreferenceItem; readonly profileName: string | null } | null {
  if (!isObject(item) || !isWord(item.value)) return null;
  const digits = textOf(item.wa_id).replace(/^\+/, '');
  const contact = contacts.find(digits, item.user_id);
  const userId = [item.user_id, contact?.user_id].find(isUserId);
  if (!isUpstreamId(digits) && userId === undefined) return null;
  return {
    item: {
      value: item.value,
      timestamp: textOf(item.timestamp),
      ...(isWord(item.category) && { category: item.category }),
      ...(isUpstreamId(digits) && { wa_id: digits }),
      ...(userId !== undefined && { user_id: userId }),
    },
    profileName: profileNameOf(contact),
  };
}

/** What is kept of a change's `metadata`, which belongs to every item of it: the names of its line. */
export function lineOf(metadata: unknown): Json | null {
  if (!isObject(metadata)) return null;
  const { display_phone_number: shown, phone_number_id: id } = metadata;
  return {
    ...(typeof shown === 'string' && { display_phone_number: shown.slice(0, WORD_MAX) }),
    ...(typeof id === 'string' && { phone_number_id: id.slice(0, LINE_ID_MAX) }),
  };
}

/** A text, or a number as one; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A list, or none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether it is an object, and no list. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The `contacts` of a change: looked up for each of its items, of which there may be as many. */
export class KnownContacts {
  private readonly byDigits = new Map<string, Json>();
  private readonly byUserId = new Map<unknown, Json>();
  private readonly only: Json | undefined;

  constructor(contacts: readonly unknown[]) {
    const known = contacts.filter(isObject);
    for (const contact of known) {
      const digits = textOf(contact.wa_id);
      if (!this.byDigits.has(digits)) this.byDigits.set(digits, contact);
      if (!this.byUserId.has(contact.user_id)) this.byUserId.set(contact.user_id, contact);
    }
    this.only = known.length === 1 ? known[0] : undefined;
  }

  /** The one that is the sender; the only one is it, when the message does not say who sent it. */
  find(digits: string, userId: unknown): Json | undefined {
    const own =
      (digits === '' ? undefined : this.byDigits.get(digits)) ??
      (isUserId(userId) ? this.byUserId.get(userId) : undefined);
    return own || digits !== '' || isUserId(userId) ? own : this.only;
  }
}

function profileNameOf(contact: Json | undefined): string | null {
  const profile = isObject(contact?.profile) ? contact.profile : {};
  // It goes into an event of each message of the person: a long one would be copied as often.
  return typeof profile.name === 'string' ? profile.name.slice(0, NAME_MAX).replace(/[\ud800-\udbff]$/, '') : null;
}

function errorOf(error: unknown): NonNullable<UpstreamStatusItem['errors']> {
  if (!isObject(error) || typeof error.code !== 'number') return [];
  const { code, title, message, ...rest } = error;
  return [
    { ...rest, code, ...(typeof title === 'string' && { title }), ...(typeof message === 'string' && { message }) },
  ];
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= WORD_MAX;
}

function isUserId(value: unknown): value is string {
  return typeof value === 'string' && USER_ID.test(value);
}
