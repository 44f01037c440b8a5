import type pg from 'pg';
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

/** Marks dead letters; their service tries them again within a second or so. */
export async function redriveDeadLetters(client: pg.ClientBase, choices: Choices): Promise<string[]> {
  const sql = `UPDATE $table SET redrive_requested_at = now() WHERE ${CHOSEN} RETURNING ${COLUMNS}`;
  const letters = await choose(client, only(choices), sql);
  const orphans = letters.filter(({ service, consumer }) => !isConsumerOf(service, consumer));
  return [
    ...report(
      letters,
      choices,
      'requested: what is applied is gone from the list, what fails stays with its new error',
    ),
    ...(choices.json
      ? []
      : orphans.map(({ consumer, id }) => `No process will redrive ${id}: there is no consumer ${consumer}.`)),
  ];
}

/** Throws dead letters away for good. */
export async function discardDeadLetters(client: pg.ClientBase, choices: Choices): Promise<string[]> {
  const letters = await choose(client, only(choices), `DELETE FROM $table WHERE ${CHOSEN} RETURNING ${COLUMNS}`);
  return report(letters, choices, 'discarded');
}

/** Everything at once must be said. @throws UsageError */
function only(choices: Choices): Choices {
  if ((choices.id === undefined) === !choices.all) throw new UsageError('Which ones? Give either --id or --all.');
  return choices;
}

async function choose(client: pg.ClientBase, choices: Choices, sql: string): Promise<Letter[]> {
  const letters: Letter[] = [];
  for (const service of await servicesIn(client, choices.service)) {
    const table = `${client.escapeIdentifier(service)}.dead_letter`;
    const values = [choices.consumer ?? null, choices.id ?? null];
    const { rows } = await client.query<Omit<Letter, 'service'>>(sql.replace('$table', table), values);
    letters.push(...rows.map((row) => ({ service, ...row })));
  }
  return letters;
}

function report(letters: readonly Letter[], { json, id }: Choices, what: string): string[] {
  if (letters.length === 0 && id !== undefined) throw new Error(`There is no dead letter ${id}.`);
  if (json) return letters.map((letter) => JSON.stringify(letter));
  return [`${letters.length} ${what}.`];
}
