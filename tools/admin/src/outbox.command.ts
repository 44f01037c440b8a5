import type pg from 'pg';
import { UsageError, type Choices } from './command-line.js';
import { pastMoment } from './past-moment.js';
import { servicesIn } from './services.js';
import { textTable } from './text-table.js';

const COUNTED_MAX = 10_001;

/** How far each service's relay is. Counting ends at 10,001. */
export async function outboxStatus(client: pg.ClientBase, choices: Choices): Promise<string[]> {
  const rows = [];
  for (const service of await servicesIn(client, choices.service)) {
    const schema = client.escapeIdentifier(service);
    const { rows: found } = await client.query<Record<string, unknown>>(
      `SELECT $1::text AS service,
         (SELECT count(*)::int FROM (SELECT FROM ${schema}.outbox_pending LIMIT $2) AS counted) AS pending,
         (SELECT id FROM ${schema}.outbox_pending ORDER BY position LIMIT 1) AS oldest,
         (SELECT count(*)::int FROM ${schema}.dead_letter) AS "deadLetters",
         state.stream, state.last_sequence::float8 AS "lastSequence", state.epoch - 1 AS "losses",
         state.replay_from IS NOT NULL AS "isReplaying"
       FROM (SELECT) AS one LEFT JOIN ${schema}.relay_state AS state ON true`,
      [service, COUNTED_MAX],
    );
    rows.push(...found.map(({ oldest, ...row }) => ({ ...row, oldestAgeSeconds: ageSeconds(oldest) })));
  }
  return choices.json ? rows.map((row) => JSON.stringify(row)) : textTable(rows);
}

/**
 * Has a service's relay publish again what was written since a moment, as far back as the outbox is kept. Consumers do
 * nothing for what they have applied; the broker drops what it was given within two minutes.
 */
export async function replayOutbox(client: pg.ClientBase, choices: Choices): Promise<string[]> {
  if (choices.service === undefined) throw new UsageError('Whose outbox? Give --service.');
  const since = pastMoment('--since', choices.since, 'Since when?');
  const [service = ''] = await servicesIn(client, choices.service);
  const schema = client.escapeIdentifier(service);
  // Of two replays that are wanted the longer one holds both.
  const { rowCount } = await client.query(
    `UPDATE ${schema}.relay_state SET replay_from = least(replay_from, ${schema}.cuid_floor($1))`,
    [since],
  );
  if (rowCount === 0) throw new Error(`${service} has never published anything.`);
  const line = { service, since: since.toISOString() };
  return [choices.json ? JSON.stringify(line) : `${service} publishes again what it wrote since ${line.since}.`];
}

/** Of a cuid's time; null for none. */
function ageSeconds(id: unknown): number | null {
  return typeof id === 'string' ? Math.round((Date.now() - Number.parseInt(id.slice(1, 9), 36)) / 1_000) : null;
}
