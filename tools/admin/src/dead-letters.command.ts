import type pg from 'pg';
import type { AdminContext } from './admin-context.js';
import { UsageError, type Choices } from './command-line.js';
import { isConsumerOf, servicesIn } from './services.js';
import { textTable } from './text-table.js';

/** A dead letter as an operator sees it. */
interface Letter {
  readonly service: string;
  readonly consumer: string;
  readonly id: string;
  readonly subject: string;
  readonly deliveries: number;
  readonly diedAt: Date;
  readonly redriveRequestedAt: Date | null;
  readonly error: string;
}

const LISTED_MAX = 200;
const ERROR_SHOWN_MAX = 100;
/** Letters of one statement: with their errors some 20 MB, and a second or two of work. */
const SLICE_MAX = 10_000;
const COLUMNS = `consumer, event_id AS id, subject, deliveries, died_at AS "diedAt",
  redrive_requested_at AS "redriveRequestedAt", error`;
const CHOSEN = `($1::text IS NULL OR consumer = $1) AND ($2::text IS NULL OR event_id = $2)`;

/** Lists the newest dead letters, without what the events say. */
export async function listDeadLetters(client: pg.ClientBase, choices: Choices): Promise<string[]> {
  const letters = (
    await choose(
      client,
      choices,
      `SELECT ${COLUMNS} FROM $table WHERE ${CHOSEN} ORDER BY died_at DESC LIMIT ${LISTED_MAX}`,
    )
  )
    .toSorted((one, other) => other.diedAt.getTime() - one.diedAt.getTime())
    .slice(0, LISTED_MAX);
  if (choices.json) return letters.map((letter) => JSON.stringify(letter));
  if (letters.length === 0) return ['There are no dead letters.'];
  const shown = letters.map(({ redriveRequestedAt, error, ...letter }) => ({
    ...letter,
    redrive: redriveRequestedAt ? 'requested' : null,
    error: error.split('\n')[0]?.slice(0, ERROR_SHOWN_MAX),
  }));
  const more = letters.length === LISTED_MAX ? [`Only the newest ${LISTED_MAX} are listed.`] : [];
  return [...textTable(shown), ...more];
}

/** Shows one dead letter whole. The event may hold phone numbers and texts. */
export async function showDeadLetter(client: pg.ClientBase, choices: Choices): Promise<string[]> {
  if (choices.id === undefined) throw new UsageError('Which one? Give --id.');
  const letters = await choose(client, choices, `SELECT ${COLUMNS}, envelope FROM $table WHERE ${CHOSEN}`);
  if (letters.length === 0) throw new Error(`There is no dead letter ${choices.id}.`);
  return letters.map((letter) => JSON.stringify(letter, undefined, choices.json ? undefined : 2));
}

/** Marks dead letters; their service looks for marks every 5 s or so. */
export async function redriveDeadLetters(
  client: pg.ClientBase,
  choices: Choices,
  { out }: Pick<AdminContext, 'out'>,
): Promise<string[]> {
  const work = (chosen: string): string =>
    `UPDATE $table AS letter SET redrive_requested_at = now() FROM chosen WHERE ${chosen}`;
  const counts = await inSlices(client, choices, work, out);
  return [
    ...report(counts, choices, 'requested: what is applied is gone from the list, what fails stays with its new error'),
    ...(choices.json ? [] : orphans(counts)),
  ];
}

/** Throws dead letters away for good. */
export async function discardDeadLetters(
  client: pg.ClientBase,
  choices: Choices,
  { out }: Pick<AdminContext, 'out'>,
): Promise<string[]> {
  const work = (chosen: string): string => `DELETE FROM $table AS letter USING chosen WHERE ${chosen}`;
  return report(await inSlices(client, choices, work, out), choices, 'discarded');
}

/** How many letters of a consumer were marked or thrown away. */
interface LetterCount {
  readonly service: string;
  readonly consumer: string;
  readonly count: number;
}

/**
 * Works on the chosen letters that have died before now, in the order of their ids, each slice in a transaction of its own: after a
 * flood there are more than one statement or this process could hold. Interrupted, it may be repeated.
 */
async function inSlices(
  client: pg.ClientBase,
  choices: Choices,
  work: (chosen: string) => string,
  out: (line: string) => void,
): Promise<LetterCount[]> {
  if ((choices.id === undefined) === !choices.all) throw new UsageError('Which ones? Give either --id or --all.');
  const counts: LetterCount[] = [];
  // Letters that die meanwhile, again or for the first time, would have the slices go on for as long as a flood does.
  const { rows: clock } = await client.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
  for (const service of await servicesIn(client, choices.service)) {
    const found = new Map<string, number>();
    const sql = sliceOf(work(IS_CHOSEN)).replaceAll('$table', tableOf(client, service));
    let after = ['', ''];
    for (let isMore = true; isMore;) {
      const values = [choices.consumer ?? null, choices.id ?? null, clock[0]?.now, ...after];
      const { rows } = await client.query<Omit<Letter, 'service'>>(sql, values);
      for (const row of rows) found.set(row.consumer, (found.get(row.consumer) ?? 0) + 1);
      if (choices.json) for (const row of rows) out(JSON.stringify({ service, ...row }));
      const last = rows.at(-1);
      if (last) after = [last.id, last.consumer];
      isMore = rows.length === SLICE_MAX;
    }
    counts.push(...[...found].map(([consumer, count]) => ({ service, consumer, count })));
  }
  return counts;
}

const IS_CHOSEN = 'letter.event_id = chosen.event_id AND letter.consumer = chosen.consumer';

/** By the primary key. Locked first, so that a letter that a service takes meanwhile is none of the slice. */
function sliceOf(work: string): string {
  return `WITH chosen AS (
      SELECT event_id, consumer FROM $table WHERE ${CHOSEN} AND died_at <= $3::timestamptz AND (event_id, consumer) > ($4, $5)
      ORDER BY event_id, consumer LIMIT ${SLICE_MAX} FOR UPDATE
    ), done AS (${work} RETURNING letter.*)
    SELECT ${COLUMNS} FROM done ORDER BY event_id, consumer`;
}

async function choose(client: pg.ClientBase, choices: Choices, sql: string): Promise<Letter[]> {
  const letters: Letter[] = [];
  for (const service of await servicesIn(client, choices.service)) {
    const values = [choices.consumer ?? null, choices.id ?? null];
    const { rows } = await client.query<Omit<Letter, 'service'>>(
      sql.replace('$table', tableOf(client, service)),
      values,
    );
    letters.push(...rows.map((row) => ({ service, ...row })));
  }
  return letters;
}

function tableOf(client: pg.ClientBase, service: string): string {
  return `${client.escapeIdentifier(service)}.dead_letter`;
}

function report(counts: readonly LetterCount[], { json, id }: Choices, what: string): string[] {
  if (counts.length === 0 && id !== undefined) throw new Error(`There is no dead letter ${id}.`);
  return json ? [] : [`${counts.reduce((sum, { count }) => sum + count, 0)} ${what}.`];
}

function orphans(counts: readonly LetterCount[]): string[] {
  return counts
    .filter(({ service, consumer }) => !isConsumerOf(service, consumer))
    .map(
      ({ service, consumer, count }) =>
        `No process will redrive ${count} of these: ${service} has no consumer ${consumer}.`,
    );
}
