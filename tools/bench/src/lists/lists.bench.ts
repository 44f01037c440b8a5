import type pg from 'pg';
import { askInTurn, type Question, type QuestionTimes } from '../ask-in-turn.js';
import { liftRateLimit } from '../lift-rate-limit.js';
import { withStack } from '../with-stack.js';
import { fillConversations, type FilledLists } from './fill-conversations.js';

/** How much to make and how often to ask each question. */
export interface ListsBenchOptions {
  readonly conversations: number;
  readonly rounds: number;
  readonly onLine: (line: string) => void;
}

/** A list at its beginning and, where it is that long, a thousand pages later. */
export interface ListPair {
  readonly front: QuestionTimes;
  readonly deep: QuestionTimes | null;
}

/** A list with where its pages lie in the database. */
interface List {
  readonly name: string;
  readonly path: string;
  readonly limit: number;
  /** The column of the cursor, from the rows of this list. Null: it has but one page. */
  readonly cursors: { readonly sql: string; readonly values: readonly unknown[] } | null;
}

const DEEP_PAGE = 1_000;
/** Page 1,000 of 100 is its end. */
const MESSAGES = 100_000;

/** Measures pages of conversations, by every filter, and of one conversation's messages. */
export async function benchLists(options: ListsBenchOptions): Promise<ListPair[]> {
  const { rounds, onLine } = options;
  return withStack(onLine, async ({ devJson: { baseUrl, organizations } }, client) => {
    const [acme] = organizations ?? [];
    if (!acme || !baseUrl) throw new Error('the stack has no organizations');
    const questions = await prepare(client, acme.id, options);
    const all = questions.flatMap(({ front, deep }) => (deep ? [front, deep] : [front]));
    const times = await askInTurn(all, { baseUrl, apiKey: acme.apiKey, rounds, onLine });
    const of = (question: Question): QuestionTimes | undefined => times.find(({ name }) => name === question.name);
    return questions.flatMap(({ front, deep }) => {
      const measured = of(front);
      return measured ? [{ front: measured, deep: (deep && of(deep)) ?? null }] : [];
    });
  });
}

async function prepare(
  client: pg.Client,
  organizationId: string,
  { conversations, onLine }: ListsBenchOptions,
): Promise<{ readonly front: Question; readonly deep: Question | null }[]> {
  await liftRateLimit(client, organizationId);
  const startedMs = performance.now();
  const filled = await fillConversations(client, organizationId, { conversations, messages: MESSAGES });
  onLine(`${conversations} conversations made in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
  const questions = [];
  for (const list of lists(organizationId, filled)) {
    const front = { name: list.name, path: `${list.path}limit=${list.limit}` };
    const cursor = await cursorOf(client, list);
    const deep = cursor === null ? null : { name: `${list.name}, deep`, path: `${front.path}&cursor=${cursor}` };
    questions.push({ front, deep });
  }
  return questions;
}

function lists(organizationId: string, { channelId, contactId, busyId, oldId }: FilledLists): List[] {
  const conversations = (name: string, filter: string, where: string, limit = 25): List => ({
    name: `conversations, ${name}, ${limit}`,
    path: `/v1/conversations?${filter}`,
    limit,
    cursors: {
      sql: `SELECT position AS cursor FROM messaging.conversation WHERE organization_id = $1 ${where} ORDER BY position DESC`,
      values: [organizationId],
    },
  });
  const onlyPage = (list: List): List => ({ ...list, cursors: null });
  const messages = (name: string, id: string, limit: number): List => ({
    name: `messages, ${name}, ${limit}`,
    path: `/v1/conversations/${id}/messages?`,
    limit,
    cursors: {
      sql: 'SELECT id AS cursor FROM messaging.message WHERE organization_id = $1 AND conversation_id = $2 ORDER BY id DESC',
      values: [organizationId, id],
    },
  });
  const channel = `AND channel_id = '${channelId}'`;
  return [
    conversations('all', '', ''),
    conversations('all', '', '', 100),
    conversations('OPEN', 'status=OPEN&', "AND status = 'OPEN'"),
    conversations('one channel', `messagingChannelId=${channelId}&`, channel),
    conversations('one channel, CLOSED', `messagingChannelId=${channelId}&status=CLOSED&`, channel),
    onlyPage(conversations('ARCHIVED: none', 'status=ARCHIVED&', '')),
    onlyPage(conversations('one contact', `contactId=${contactId}&`, '')),
    messages('100,000 in one conversation', busyId, 25),
    messages('100,000 in one conversation', busyId, 100),
    onlyPage(messages('all a year old', oldId, 25)),
  ];
}

/** The cursor of page 1,000, or of the last whole page of a shorter list. */
async function cursorOf(client: pg.Client, { cursors, limit }: List): Promise<string | null> {
  if (!cursors) return null;
  const counted = await client.query<{ n: number }>(`SELECT count(*)::int AS n FROM (${cursors.sql}) AS all_of_it`, [
    ...cursors.values,
  ]);
  const behind = Math.min(limit * (DEEP_PAGE - 1), (counted.rows[0]?.n ?? 0) - limit);
  const found = await client.query<{ cursor: string }>(`${cursors.sql} OFFSET ${behind - 1} LIMIT 1`, [
    ...cursors.values,
  ]);
  return found.rows[0]?.cursor ?? null;
}

/** The rows as the report shows them. */
export function linesOfLists(pairs: readonly ListPair[]): string[] {
  const shown = (times: QuestionTimes | null): string =>
    times ? `${times.p50Ms.toFixed(1)} / ${times.p95Ms.toFixed(1)}` : '';
  return pairs.map(({ front, deep }) => {
    const ratio = deep ? (deep.p50Ms / front.p50Ms).toFixed(2) : '';
    return `| ${[front.name, front.items, shown(front), shown(deep), ratio].join(' | ')} |`;
  });
}
