import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { isPhoneForm } from './alias.policy.js';
import type { Contact } from './contact.entity.js';

/** Ids are of the services' clocks, the floor is of the database's. */
const CLOCKS_APART_MS = 86_400_000;

/** True when other services may hold a newer state of the contact, which this database has lost; not of one that is newer than the restore. */
export function isBehindFloor({ id, version, versionFloor }: Contact): boolean {
  return version <= versionFloor && cuidTime(id).getTime() < versionFloor + CLOCKS_APART_MS;
}

/**
 * The version of a contact after a change. After a restore what sends are judged by goes above all that other services may hold. A
 * name alone does not: it would take with it an opt-out that the restore has lost here, and that messaging still holds.
 *
 * @param isConfirmed whether it goes above in any case
 */
export function versionAfter(before: Contact, after: Contact, isConfirmed: boolean): number {
  const goesAbove = isBehindFloor(before) && (isConfirmed || judgedBy(before) !== judgedBy(after));
  return (goesAbove ? before.versionFloor : before.version) + 1;
}

/** What sends to the contact are judged by: its numbers, its opt-outs, and the contact that goes on for it. */
function judgedBy({ aliases, optOuts, mergedInto }: Contact): string {
  return JSON.stringify([aliases.filter(isPhoneForm), optOuts.map(({ id }) => id), mergedInto]);
}
