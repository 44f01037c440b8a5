import type { ContactSighting } from '@switchboard/contracts/contacts/rpc';
import type { AppliedStatements, HeldConsent, StatedTimes } from './contact.entity.js';

/** Changes of number that are remembered, so that a repetition does nothing. */
const MOVES_KEPT = 10;
/** Groups of opt-outs that are remembered: each parting of two accounts, and each erasure of a number that the contact has next, adds one. */
const GROUPS_KEPT = 20;

/** Stands for a channel in the times of what was stated: when the contact of a number was erased. No channel has this id. */
export const ERASED = '';

type Stated = AppliedStatements['preferences'][string];

/** Of a contact of which nothing was stated yet. */
export const NOTHING_APPLIED: AppliedStatements = { moves: [], preferences: {} };

/** With one more change of number. */
export function withMove(
  applied: AppliedStatements | null,
  { id, at }: NonNullable<ContactSighting['statement']>,
): AppliedStatements {
  const before = applied ?? NOTHING_APPLIED;
  return { ...before, moves: [...before.moves, id].slice(-MOVES_KEPT), movedAt: at };
}

/**
 * Without what is of one contact alone: since when it has its number, and the groups of opt-outs that it took over. Who has them no more,
 * or has only a copy, must not have them replaced when it is erased.
 */
export function withoutOwn(applied: AppliedStatements | null): AppliedStatements | null {
  if (!applied) return null;
  const { takenGroups: _taken, movedAt: _moved, ...rest } = applied;
  return rest;
}

/** Without the moment of an erasure: it names the erased contact, of which nothing is to lead to the number. */
export function withoutErasure(applied: AppliedStatements | null): AppliedStatements | null {
  if (applied?.preferences[ERASED] === undefined) return applied;
  const { [ERASED]: _erased, ...preferences } = applied.preferences;
  return { ...applied, preferences };
}

/** When preferences were last stated. */
export function statedTimes(applied: AppliedStatements | null): StatedTimes {
  const { preferences } = applied ?? NOTHING_APPLIED;
  return Object.fromEntries(Object.entries(preferences).map(([channelId, { at }]) => [channelId, at]));
}

/** What is applied to a contact with what was held: all that was stated up to those times, of which the ids are not known. */
export function appliedWith({ statedAt, groupId }: HeldConsent): AppliedStatements | null {
  const stated = Object.entries(statedAt).map(([channelId, at]) => [channelId, { at, ids: [] }] as const);
  if (stated.length === 0 && groupId === null) return null;
  const preferences = Object.fromEntries(stated);
  return { ...NOTHING_APPLIED, preferences, ...(groupId !== null && { takenGroups: [groupId] }) };
}

/**
 * What was applied to either of two contacts, for the one that goes on for both: a repetition of what was stated of the other changes
 * nothing of it. By channel the later moment holds, and of one moment the statements of both.
 */
export function appliedToBoth(
  applied: AppliedStatements | null,
  other: AppliedStatements | null,
): AppliedStatements | null {
  if (!applied || !other) return applied ?? other;
  const preferences = { ...applied.preferences };
  for (const [channelId, stated] of Object.entries(other.preferences)) {
    preferences[channelId] = lastOf(preferences[channelId], stated);
  }
  const moves = [...new Set([...other.moves, ...applied.moves])].slice(-MOVES_KEPT);
  const later = other.takenGroups ?? [];
  const earlier = (applied.takenGroups ?? []).filter((groupId) => !later.includes(groupId));
  const takenGroups = [...earlier, ...later].slice(-GROUPS_KEPT);
  return { ...applied, moves, preferences, ...(takenGroups.length > 0 && { takenGroups }) };
}

function lastOf(one: Stated | undefined, other: Stated): Stated {
  if (!one || one.at < other.at) return other;
  if (one.at > other.at) return one;
  const isWholeMoment = one.ids.length === 0 || other.ids.length === 0;
  const ids = isWholeMoment ? [] : [...new Set([...one.ids, ...other.ids])];
  const order = [one.order ?? '', other.order ?? ''].sort().at(-1);
  return { at: one.at, ids, ...(order && { order }) };
}
