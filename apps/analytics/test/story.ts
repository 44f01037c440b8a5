import { cuidTime, newCuid } from '@switchboard/contracts/grammar/cuid';
import type { Database } from '@switchboard/postgres';
import { SeededRandom } from '@switchboard/testing/seeded-random';
import fc from 'fast-check';
import type { MessageFact } from '../src/fact/message-fact.js';

const HOUR_MS = 3_600_000;

/** A message of a story. */
export interface Life {
  readonly contact: number;
  readonly kind: 'inbound' | 'text' | 'template';
  /** Milliseconds after the former message of the story. */
  readonly afterMs: number;
  /** Stages and failures in the order in which they became known; each is one more version. */
  readonly steps: readonly { readonly stage: number; readonly isFailed: boolean; readonly seconds: number }[];
}

const life: fc.Arbitrary<Life> = fc.record({
  contact: fc.integer({ min: 0, max: 1 }),
  kind: fc.constantFrom('inbound', 'text', 'template'),
  afterMs: fc.constantFrom(1_000, 30 * 60_000, 20 * HOUR_MS, 80 * HOUR_MS),
  steps: fc.array(
    fc.record({
      stage: fc.integer({ min: 0, max: 3 }),
      isFailed: fc.boolean(),
      seconds: fc.integer({ min: 1, max: 900 }),
    }),
    { maxLength: 4 },
  ),
});

/** Messages of two contacts on a channel, in the order in which they came. */
export const stories: fc.Arbitrary<Life[]> = fc.array(life, { minLength: 1, maxLength: 12 });

/** Everything that was ever known of the messages of a story, each version complete in itself. */
export function versionsOf(lives: readonly Life[], organizationId: string): MessageFact[][] {
  const channelId = newCuid();
  const templateId = newCuid();
  const contacts = [newCuid(), newCuid()];
  let atMs = Date.now() - 20 * 24 * HOUR_MS;
  return lives.map(({ contact, kind, afterMs, steps }) => {
    atMs += afterMs;
    const first: MessageFact = {
      organizationId,
      id: cuidAt(atMs),
      channelId,
      contactId: contacts[contact] ?? '',
      isInbound: kind === 'inbound',
      templateId: kind === 'template' ? templateId : null,
      version: 1,
      stage: 0,
      isFailed: false,
      errorCode: null,
      sentAt: null,
      deliveredAt: null,
      readAt: null,
    };
    if (first.isInbound) return [first];
    const sentAt = new Date(atMs + 500);
    // Stages only rise, as in messaging.
    const later = [...steps]
      .sort((a, b) => a.stage - b.stage)
      .map(({ stage, isFailed, seconds }, index): MessageFact => {
        const fails = isFailed && stage < 2;
        return {
          ...first,
          version: index + 2,
          stage,
          isFailed: fails,
          errorCode: fails ? '131026' : null,
          sentAt: stage >= 1 ? sentAt : null,
          deliveredAt: stage >= 2 ? new Date(atMs + 500 + seconds * 1_000) : null,
          readAt: stage === 3 ? new Date(atMs + 500 + seconds * 2_000) : null,
        };
      });
    return [first, ...later];
  });
}

function cuidAt(ms: number): string {
  return `c${ms.toString(36).padStart(8, '0')}${newCuid().slice(9)}`;
}

/** What the last versions add up to, worked out message by message. */
export function recount(last: readonly MessageFact[]): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (key: string, is: boolean): void => void (is && (counts[key] = (counts[key] ?? 0) + 1));
  for (const fact of last) {
    add('messages:received', fact.isInbound);
    if (fact.isInbound) continue;
    add('messages:accepted', true);
    add('messages:sent', fact.stage >= 1);
    add('messages:delivered', fact.stage >= 2);
    add('messages:read', fact.stage >= 3);
    add('messages:failed', fact.isFailed);
    add('failures:131026', fact.isFailed);
    if (fact.templateId === null || fact.sentAt === null) continue;
    add(`templates:sent`, true);
    add(`templates:delivered`, fact.stage >= 2);
    add(`templates:read`, fact.stage >= 3);
    const sentMs = fact.sentAt.getTime();
    const ofContact = last.filter(({ contactId }) => contactId === fact.contactId);
    const later = ofContact.flatMap(({ templateId, sentAt }) =>
      templateId !== null && sentAt ? [sentAt.getTime()] : [],
    );
    const until = Math.min(sentMs + 72 * HOUR_MS, ...later.filter((ms) => ms > sentMs));
    const replies = ofContact.filter(({ isInbound }) => isInbound).map(({ id }) => cuidTime(id).getTime());
    add(
      `templates:replied`,
      replies.some((ms) => ms >= sentMs && ms < until),
    );
  }
  return counts;
}

/** What is kept of an organization, by report and key without the template's id; not the delays. */
export async function counted(
  superuser: Database,
  organizationId: string,
  grain: number,
): Promise<Record<string, number>> {
  const rows: { key: string; count: string }[] = await superuser.dataSource.query(
    `SELECT report || ':' || regexp_replace(key, '^c[0-9a-z]{24}:', '') AS key, sum(count) AS count
     FROM analytics.rollup, unnest(keys, counts) AS one(key, count)
     WHERE organization_id = $1 AND grain = $2 AND report NOT LIKE '%-after' GROUP BY 1 HAVING sum(count) <> 0`,
    [organizationId, grain],
  );
  return Object.fromEntries(rows.map(({ key, count }) => [key, Number(count)]));
}

/** The same in an order that the seed determines. */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const random = new SeededRandom(seed);
  return items
    .map((item) => [random.next(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}
