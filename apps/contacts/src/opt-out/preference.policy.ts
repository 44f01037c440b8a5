import type { ContactSighting, SightedPreference } from '@switchboard/contracts/contacts/rpc';
import { NOTHING_APPLIED } from '../contact/applied-statements.policy.js';
import type { Contact } from '../contact/contact.entity.js';
import { isLiftedByStart } from '../contact/opt-outs-of-both.policy.js';
import type { ContactPatch } from '../contact/contact-ledger.js';

/** Which message or event stated something, and when. */
export type Statement = NonNullable<ContactSighting['statement']>;

/**
 * What a stated preference changes of a contact; null when it was applied before, or a later one was.
 *
 * `stop` makes an opt-out of that channel unless it has one of its own; one of all channels is no reason not to, for it
 * may be removed. `start` removes what KEYWORD and UPSTREAM recorded for that channel. Statements of one moment (the
 * upstream counts whole seconds) apply once each, and the one that came last holds: also where an earlier one is applied behind it,
 * as after a crash.
 *
 * Source: docs/api-behaviour.md#opt-outs-keywords.
 */
export function preferencePatch(
  { optOuts, appliedStatements }: Pick<Contact, 'optOuts' | 'appliedStatements'>,
  { channelId, value, source }: SightedPreference,
  { id, at, order }: Statement,
  newId: () => string,
): ContactPatch | null {
  const last = appliedStatements?.preferences[channelId];
  const isSameMoment = last?.at === at;
  const isApplied = isSameMoment && (last.ids.length === 0 || last.ids.includes(id));
  if (isApplied || (last && last.at > at)) return null;
  const ids = isSameMoment ? [...last.ids, id] : [id];
  const isBehind = isSameMoment && order !== undefined && last.order !== undefined && order < last.order;
  const holds = isBehind ? last.order : order;
  const preferences = { ...appliedStatements?.preferences, [channelId]: { at, ids, ...(holds && { order: holds }) } };
  const applied = { ...(appliedStatements ?? NOTHING_APPLIED), preferences };
  if (isBehind) return { appliedStatements: applied };
  const own = optOuts.find((optOut) => optOut.channelId === channelId);
  const isTheirs = own !== undefined && isLiftedByStart(own.source);
  return {
    appliedStatements: applied,
    ...(value === 'stop' && !own && { optOuts: [...optOuts, { id: newId(), channelId, source, reason: null }] }),
    ...(value === 'start' && isTheirs && { optOuts: optOuts.filter((optOut) => optOut !== own) }),
  };
}
