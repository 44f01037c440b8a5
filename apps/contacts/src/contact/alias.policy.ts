import { phoneFromDigits } from '@switchboard/phone';

/** What no phone begins with: E.164 forms and the upstream's own ids share one table. */
const USER_PREFIX = 'user:';
/** No contact has an alias of it. */
const MOVE_PREFIX = 'move:';

/** Every E.164 form of a phone; none when it is no E.164 number. */
export function phoneForms(phone: string | null | undefined): readonly string[] {
  return phone?.startsWith('+') ? (phoneFromDigits(phone.slice(1))?.aliases ?? []) : [];
}

/** The forms of an upstream's id that is a number's digits; an upstream user id has none. */
export function messagingForms(messagingId: string | null): readonly string[] {
  return messagingId === null ? [] : (phoneFromDigits(messagingId)?.aliases ?? []);
}

/** The alias of an upstream's own id of a person. */
export function userAlias(upstreamUserId: string): string {
  return USER_PREFIX + upstreamUserId;
}

/** Stands for an alias in what is held: a change of number that was applied to a contact which is erased. @param id of the statement */
export function moveMark(id: string): string {
  return MOVE_PREFIX + id;
}

/** The upstream's own id of a person, of its alias. */
export function upstreamUserIdOf(alias: string): string {
  return alias.slice(USER_PREFIX.length);
}

/** True for a written form of a phone, false for an upstream's own id. */
export function isPhoneForm(alias: string): boolean {
  return !alias.startsWith(USER_PREFIX);
}

/** Aliases as contacts hold them: each once, sorted. */
export function aliasList(...parts: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(parts.flat())].sort();
}
