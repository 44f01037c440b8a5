import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillContacts } from '@switchboard/contacts/seed';
import { startStack, type RunningStack } from '@switchboard/dev';
import pg from 'pg';
import { askInTurn, type Question, type QuestionTimes } from '../ask-in-turn.js';
import { liftRateLimit } from '../lift-rate-limit.js';

/** How many contacts to make and how often to ask each question. */
export interface ContactsBenchOptions {
  readonly contacts: number;
  readonly requests: number;
  readonly onLine: (line: string) => void;
}

/** Question by question, each with its own limit, so that page 1,000 of 25 lies well within a million. */
const LIMITS = [25, 100];
const DEEP_PAGE = 1_000;

/** Terms from those that everybody has to one that nobody has; the fill's names are in `fillContacts`. */
const TERMS: readonly (readonly [string, string])[] = [
  ['in a quarter of all', 'example.com'],
  ['in 1 of 30', 'katarzyna'],
  ['in 1 of 3,000', 'karezen'],
  ['one number', '+12010000707'],
  ['in another script', 'Ольга Sch'],
  ['one character, frequent', 'a'],
  ['two characters, in 1 of 30', 'ë '],
  ['two characters, rare', '~x'],
  ['in nobody', 'zzzzqqqq'],
];

/** Measures lists and searches over many contacts of one organization, one request at a time. */
export async function benchContacts(options: ContactsBenchOptions): Promise<QuestionTimes[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
  let stack: RunningStack | undefined;
  try {
    options.onLine('starting everything');
    stack = await startStack({ dataDir, quiet: true });
    const { baseUrl, databaseUrl, organizations } = stack.devJson;
    const [acme] = organizations ?? [];
    if (!acme || !baseUrl || !databaseUrl) throw new Error('the stack has no organizations');
    const startedMs = performance.now();
    const cursor = await fill(databaseUrl, acme.id, options.contacts);
    options.onLine(`${options.contacts} contacts made in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
    const { requests: rounds, onLine } = options;
    return await askInTurn(questions(cursor), { baseUrl, apiKey: acme.apiKey, rounds, onLine });
  } finally {
    await stack?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** @param cursor of page 1,000, by the limit */
function questions(cursor: (limit: number) => string): Question[] {
  const lists = LIMITS.flatMap((limit) =>
    [
      ['all', ''],
      ['not opted out', '&isOptedOut=false'],
      ['opted out', '&isOptedOut=true'],
    ].flatMap(([name, filter]) => [
      { name: `${name}, page 1 of ${limit}`, path: `/v1/contacts?limit=${limit}${filter}` },
      { name: `${name}, page 1,000 of ${limit}`, path: `/v1/contacts?limit=${limit}${filter}&cursor=${cursor(limit)}` },
    ]),
  );
  const searches = LIMITS.flatMap((limit) =>
    TERMS.map(([name, term]) => ({
      name: `search ${name}, ${limit}`,
      path: `/v1/contacts?limit=${limit}&search=${encodeURIComponent(term)}`,
    })),
  );
  return [...lists, ...searches];
}

/** Makes the contacts and lifts the organization's rate limit. @returns the cursor of page 1,000 of a limit */
async function fill(databaseUrl: string, organizationId: string, contacts: number): Promise<(limit: number) => string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await liftRateLimit(client, organizationId);
    const channels = await client.query<{ id: string }>(
      'SELECT id FROM messaging.channel WHERE organization_id = $1 ORDER BY id',
      [organizationId],
    );
    const channelIds = channels.rows.map(({ id }) => id);
    await fillContacts((sql, values) => client.query(sql, [...values]), { organizationId, contacts, channelIds });
    const cursors = new Map<number, string>();
    for (const limit of LIMITS) {
      const found = await client.query<{ id: string }>(
        'SELECT id FROM contacts.contact WHERE organization_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1',
        [organizationId, Math.min(limit * (DEEP_PAGE - 1), contacts - limit) - 1],
      );
      cursors.set(limit, found.rows[0]?.id ?? '');
    }
    return (limit) => cursors.get(limit) ?? '';
  } finally {
    await client.end();
  }
}

/** The rows as the report shows them, each beside the first. */
export function linesOf(rows: readonly QuestionTimes[]): string[] {
  const [first] = rows;
  return rows.map(({ name, items, p50Ms, p95Ms, p99Ms }) => {
    const ratio = first ? p50Ms / first.p50Ms : 0;
    const times = [p50Ms, p95Ms, p99Ms].map((ms) => ms.toFixed(1));
    return `| ${[name, items, ...times, ratio.toFixed(1)].join(' | ')} |`;
  });
}
