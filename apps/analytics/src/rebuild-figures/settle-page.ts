import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import type { Database, Transaction } from '@switchboard/postgres';
import { creditDifferences } from '../credit/credit.policy.js';
import { creditTemplates, lockContacts, type TouchedContact } from '../credit/credit.repository.js';
import { countsOf } from '../fact/counted-fact.policy.js';
import { readFacts, removeFacts, type KnownFact } from '../fact/fact-range.repository.js';
import { keepFactMonths } from '../fact/keep-fact-months.js';
import { factOf, type MessageFact } from '../fact/message-fact.js';
import { settleFacts, type FactChange } from '../fact/message-fact.repository.js';
import { countChanges, isCredited } from '../fact/store-facts.js';
import { keepTemplateNames } from '../fact/template-name.repository.js';
import { advanceRebuild, holdRebuild, type Rebuild, type RebuildProgress } from '../rebuild/rebuild.repository.js';
import { addToRollup } from '../rollup/rollup.repository.js';
import type { MessagePage } from './read-page.js';

/**
 * Makes the facts of a page what messaging says of its messages, and moves every count that this changes.
 *
 * Events that come meanwhile are stored before or after it as a whole; a newer one wins either way.
 *
 * @returns how far the rebuild is; null when another process has gone on from there
 */
export async function settlePage(
  database: Database,
  rebuild: Rebuild,
  page: MessagePage,
): Promise<RebuildProgress | null> {
  const { organizationId } = rebuild;
  const facts = page.messages.map((message) => factOf(organizationId, message, message.sequence));
  await keepFactMonths(
    database,
    facts.map(({ id }) => id),
    new Date(),
  );
  return database.transaction(async (tx) => {
    if (!(await holdRebuild(tx, rebuild))) return null;
    await lockContacts(tx, [...facts.filter(isCredited), ...page.gone.map((fact) => ({ ...fact, organizationId }))]);
    const removed = await removeFacts(tx, organizationId, page.gone);
    removed.push(...(await removeFacts(tx, organizationId, await withOtherSubject(tx, rebuild, facts))));
    const changes = (await settleFacts(tx, facts)).map((change) => ({ ...change, id: change.after.id }));
    // Of all of them, changed or not: what a template is credited with depends on other messages, too.
    const touched = [...facts, ...removed, ...changes.flatMap(({ before }) => before ?? [])].flatMap(touchedBy);
    const credits = await creditTemplates(tx, touched);
    addToRollup(tx, [
      ...removed.flatMap((fact) => countsOf(fact, -1)),
      ...changes.flatMap(countChanges),
      ...credits.flatMap(creditDifferences),
    ]);
    keepTemplateNames(tx, namesIn(organizationId, page));
    const progress: RebuildProgress = {
      ...(page.until === null ? { step: 'counts', position: '' } : { step: 'messages', position: page.until }),
      oldestId: page.oldestId,
      messagesRead: facts.length,
      factsCorrected: new Set([...removed, ...changes.filter(isCorrection), ...credits].map(({ id }) => id)).size,
      countsCorrected: 0,
    };
    const end: RebuildProgress = page.oldestId === null ? { ...progress, step: 'done' } : progress;
    advanceRebuild(tx, rebuild, end);
    return end;
  });
}

/**
 * Facts whose message is of another channel, contact or template, or is credited without having been sent: no event changes
 * that, so they are made anew.
 */
async function withOtherSubject(
  tx: Transaction,
  { organizationId }: Rebuild,
  facts: readonly MessageFact[],
): Promise<KnownFact[]> {
  const [first, last] = [facts[0], facts.at(-1)];
  if (!first || !last) return [];
  const messages = new Map(facts.map((fact) => [fact.id, fact]));
  const known = await readFacts(tx, { organizationId, from: first.id, after: '', until: last.id }, 2 * facts.length);
  return known.filter((fact) => {
    const message = messages.get(fact.id);
    if (!message) return false;
    const isCreditedUnsent = message.sentAt === null && (fact.isReplied || fact.isOptedOut);
    return isCreditedUnsent || subjectOf(message) !== subjectOf(fact);
  });
}

/** A version that rises alone corrects nothing. */
function isCorrection(change: FactChange): boolean {
  return countChanges(change).length > 0;
}

function subjectOf({ channelId, contactId, isInbound, templateId }: KnownFact): string {
  return [channelId, contactId, isInbound, templateId].join(' ');
}

function touchedBy(fact: MessageFact): TouchedContact[] {
  const { organizationId, id, channelId, contactId, isInbound, templateId, sentAt } = fact;
  const at = isInbound ? cuidTime(id) : templateId === null ? null : sentAt;
  return at ? [{ organizationId, channelId, contactId, at }] : [];
}

function namesIn(organizationId: string, { messages }: MessagePage): Parameters<typeof keepTemplateNames>[1] {
  const named = messages.flatMap(({ template }) => (template ? [template] : []));
  const latest = new Map(named.map(({ id, name, language }) => [id, { name, language }]));
  return [...latest].map(([templateId, name]) => ({ organizationId, templateId, ...name }));
}
