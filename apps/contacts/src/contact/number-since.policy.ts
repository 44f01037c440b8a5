import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { NOTHING_APPLIED } from './applied-statements.policy.js';
import type { Consent, Contact } from './contact.entity.js';
import { isLiftedByStart } from './opt-outs-of-both.policy.js';

/**
 * A contact is made when we take what was written, which may be long after the upstream had it: behind an outage the message of a person and
 * the note that their number changed come together. Its keyword says when it was written.
 */
const TAKEN_LATE_MS = 86_400_000;

/**
 * Whether a contact has its number only since a moment: what the upstream notes of that moment is of whoever had it before. By its
 * statements and by its last change of number, which have the upstream's times, else by when it was made. With an opt-out that no START
 * removes it is taken to have the number since it was made: moved along alone, the opt-out would be lost to whoever has the number.
 *
 * @param at ISO 8601
 */
export function isSince({ id, appliedStatements, optOuts }: Pick<Contact, 'id' | keyof Consent>, at: string): boolean {
  const { movedAt = '', preferences } = appliedStatements ?? NOTHING_APPLIED;
  const stated = Object.values(preferences).map((preference) => preference.at);
  if ([movedAt, ...stated].some((since) => since > at)) return true;
  const lateMs = optOuts.some(({ source }) => !isLiftedByStart(source)) ? 0 : TAKEN_LATE_MS;
  return cuidTime(id).getTime() - lateMs > Date.parse(at);
}
