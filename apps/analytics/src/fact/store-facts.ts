import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { Transaction } from '@switchboard/postgres';
import { creditTemplates, lockContacts, type TouchedContact } from '../credit/credit.repository.js';
import { creditDifferences } from '../credit/credit.policy.js';
import { changesOf } from './figures.policy.js';
import type { MessageFact } from './message-fact.js';
import { mergeFacts, type FactChange } from './message-fact.repository.js';
import { addToRollup, type RollupDifference } from '../rollup/rollup.repository.js';

/**
 * Stores facts and moves every count that they change, in one transaction.
 *
 * What is stored and what is counted agree after each commit, in whatever order facts come and however often.
 *
 * @param facts any number of each message, in any order
 */
export async function storeFacts(tx: Transaction, facts: readonly MessageFact[]): Promise<void> {
  const newest = newestOf(facts);
  if (newest.length === 0) return;
  await lockContacts(tx, newest.filter(isCredited));
  const changes = await mergeFacts(tx, newest);
  const credits = await creditTemplates(tx, changes.flatMap(touchedBy));
  addToRollup(tx, [...changes.flatMap(countChanges), ...credits.flatMap(creditDifferences)]);
}

function newestOf(facts: readonly MessageFact[]): MessageFact[] {
  const newest = new Map<string, MessageFact>();
  for (const fact of facts) {
    const key = `${fact.organizationId} ${fact.id}`;
    const known = newest.get(key);
    if (!known || known.version < fact.version) newest.set(key, fact);
  }
  return [...newest.values()];
}

/** Only these take part in what templates are credited with. */
export function isCredited({ isInbound, templateId }: MessageFact): boolean {
  return isInbound || templateId !== null;
}

function touchedBy({ before, after }: FactChange): TouchedContact[] {
  const { organizationId, channelId, contactId, isInbound, templateId, sentAt } = after;
  const contact = { organizationId, channelId, contactId };
  if (isInbound) return before ? [] : [{ ...contact, at: cuidTime(after.id) }];
  if (templateId === null || !sentAt || before?.sentAt?.getTime() === sentAt.getTime()) return [];
  // Where it was sent before, the window of another ends no more.
  return [sentAt, before?.sentAt ?? sentAt].map((at) => ({ ...contact, at }));
}

/** What a change of a fact adds to the counts, or takes from them. */
export function countChanges(change: FactChange): RollupDifference[] {
  const { organizationId, id, channelId } = change.after;
  const at = cuidTime(id);
  return changesOf(change).map((figure) => ({ ...figure, organizationId, at, channelId }));
}
