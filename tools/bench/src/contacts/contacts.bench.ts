import { fillContacts } from '@switchboard/contacts/seed';
import type pg from 'pg';
import { askInTurn, type Question, type QuestionTimes } from '../ask-in-turn.js';
import { liftRateLimit } from '../lift-rate-limit.js';
import { withStack } from '../with-stack.js';

/** How many contacts to make and how often to ask each question. */
export interface ContactsBenchOptions {
  readonly contacts: number;
  readonly requests: number;
  readonly onLine: (line: string) => void;
}

/** Question by question, each with its own limit, so that page 1,000 of 25 lies well within a million. */
const LIMITS = [25, 100];
const DEEP_PAGE = 1_000;
/** Matches behind the last page that is asked for, fewer than it may hold: it is read to the end of the list. */
const LEFT = 10;

const LIST = '/v1/contacts?limit=';
const FILTERS = [
  ['all', ''],
  ['not opted out', '&isOptedOut=false'],
  ['opted out', '&isOptedOut=true'],
] as const;

/** Terms from those that every contact has to one that none has; the fill's names are in `fillContacts`. */
const TERMS: readonly (readonly [string, string])[] = [
  ['in 1 of 6', 'example.com'],
  ['in 1 of 30', 'katarzyna'],
  ['in 1 of 300', 'karezen'],
  ['one number', '+12010000707'],
  ['in another script', 'Ольга Sch'],
  ['one character, frequent', 'a'],
  ['two characters, in 1 of 30', 'ë '],
  ['two characters, rare', '~x'],
  ['in none', 'zzzzqqqq'],
  ['in the oldest 30 % alone', 'legacy.example'],
  ['in 1 of 30 of the oldest 30 %', 'schbers1'],
  ['in 2 % in the middle alone', 'between.test'],
  ['a country code, of old ones alone', '+49'],
  ['an unknown number', '+492019999'],
];

/** Measures lists and searches over many contacts of one organization, one request at a time. */
export async function benchContacts({
  contacts,
  requests: rounds,
  onLine,
}: ContactsBenchOptions): Promise<QuestionTimes[]> {
  return withStack(onLine, async ({ devJson: { baseUrl, organizations } }, client) => {
    const [acme] = organizations ?? [];
    if (!acme || !baseUrl) throw new Error('the stack has no organizations');
    const startedMs = performance.now();
    const asked = await fill(client, acme.id, contacts);
    onLine(`${contacts} contacts made in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
    return askInTurn(asked, { baseUrl, apiKey: acme.apiKey, rounds, onLine });
  });
}

/** Makes the contacts and lifts the organization's rate limit. @returns what to ask */
async function fill(client: pg.Client, organizationId: string, contacts: number): Promise<Question[]> {
  await liftRateLimit(client, organizationId);
  const channels = await client.query<{ id: string }>(
    'SELECT id FROM messaging.channel WHERE organization_id = $1 ORDER BY id',
    [organizationId],
  );
  const channelIds = channels.rows.map(({ id }) => id);
  await fillContacts((sql, values) => client.query(sql, [...values]), { organizationId, contacts, channelIds });
  return [...(await lists(client, organizationId, contacts)), ...(await searches(client, organizationId))];
}

async function lists(client: pg.Client, organizationId: string, contacts: number): Promise<Question[]> {
  const questions: Question[] = [];
  for (const limit of LIMITS) {
    const found = await client.query<{ id: string }>(
      'SELECT id FROM contacts.contact WHERE organization_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1',
      [organizationId, Math.min(limit * (DEEP_PAGE - 1), contacts - limit) - 1],
    );
    const cursor = found.rows[0]?.id ?? '';
    for (const [name, filter] of FILTERS) {
      const path = `${LIST}${limit}${filter}`;
      questions.push({ name: `${name}, page 1 of ${limit}`, path });
      questions.push({ name: `${name}, page 1,000 of ${limit}`, path: `${path}&cursor=${cursor}` });
    }
  }
  return questions;
}

/** Page 1 of every term; of those with several pages one halfway as well, and the last, where the rest has no match. */
async function searches(client: pg.Client, organizationId: string): Promise<Question[]> {
  const questions: Question[] = [];
  for (const [name, term] of TERMS) {
    const found = await client.query<{ halfway: string | null; last: string | null }>(
      `SELECT min(id) FILTER (WHERE at = count / 2) AS halfway, min(id) FILTER (WHERE at = count - $3) AS last
       FROM (SELECT id, row_number() OVER (ORDER BY id DESC) AS at, count(*) OVER () AS count FROM contacts.contact
         WHERE organization_id = $1 AND strpos(search_text, $2) > 0) matching WHERE count > 2 * $3`,
      [organizationId, term.toUpperCase(), LEFT],
    );
    const path = `search=${encodeURIComponent(term)}`;
    for (const limit of LIMITS) questions.push({ name: `search ${name}, ${limit}`, path: `${LIST}${limit}&${path}` });
    for (const [page, cursor] of Object.entries(found.rows[0] ?? {})) {
      if (cursor) questions.push({ name: `search ${name}, 25, ${page}`, path: `${LIST}25&${path}&cursor=${cursor}` });
    }
  }
  return questions;
}

/** The rows of the report, each compared with the first. */
export function linesOf(rows: readonly QuestionTimes[]): string[] {
  const [first] = rows;
  return rows.map(({ name, items, p50Ms, p95Ms, p99Ms }) => {
    const ratio = first ? p50Ms / first.p50Ms : 0;
    const times = [p50Ms, p95Ms, p99Ms].map((ms) => ms.toFixed(1));
    return `| ${[name, items, ...times, ratio.toFixed(1)].join(' | ')} |`;
  });
}
