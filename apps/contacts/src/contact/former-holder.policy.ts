import type { FormerAlias } from './contact.entity.js';

/** A contact that had an alias until its person's number changed. */
export type FormerHolder = Pick<FormerAlias, 'contactId' | 'alias'> & Required<Pick<FormerAlias, 'movedAt'>>;

/** Of whom something may be that was said under an alias which contacts gave up. */
export interface FormerSpeakers {
  readonly contactIds: readonly string[];
  /** Whether the times leave no doubt. Else it may be of whoever has the alias now, too. */
  readonly isSure: boolean;
}

/**
 * Of those who had an alias, whose something is that was said under it: what was said before a change of number is of who moved then, and what was
 * said behind the last change of none of them. In the second of a change it may be of either. The upstream counts whole seconds: a time
 * with a part of one is the gateway's own, where that of the upstream could not be read, and it was then or before.
 *
 * @param at ISO 8601, when it was said
 */
export function speakersAmong(holders: readonly FormerHolder[], at: string): FormerSpeakers {
  const isRead = isWholeSecond(at);
  const later = holders.filter(({ movedAt }) => !isRead || movedAt >= at);
  const [first] = later.map(({ movedAt }) => movedAt).sort();
  const isSure = isRead && first !== undefined && first > at && isWholeSecond(first);
  const speakers = isSure ? later.filter(({ movedAt }) => movedAt === first) : later;
  return { contactIds: [...new Set(speakers.map(({ contactId }) => contactId))], isSure };
}

function isWholeSecond(at: string): boolean {
  return Date.parse(at) % 1_000 === 0;
}
