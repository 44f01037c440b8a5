import { operate } from '@switchboard/gateway/operate';
import type pg from 'pg';
import type { AdminContext } from './admin-context.js';
import { UsageError, type Choices } from './command-line.js';
import { gatewayDatabase } from './gateway-database.js';
import { servicesIn } from './services.js';
import { textTable } from './text-table.js';

/** A counter and the sum of the messages themselves. */
interface QuotaRow {
  readonly organization: string;
  /** `YYYY-MM` in UTC. */
  readonly month: string;
  readonly used: number;
  readonly counted: number;
}

/**
 * This month and the last one: what is older takes nothing any more. One statement, so that counter and messages are of the
 * same moment: they change in the same transactions, and may be compared under any load.
 */
const COMPARE = `
  SELECT o.organization_id AS organization, m.month, coalesce(q.used, 0)::float8 AS used,
    messaging.quota_counted(o.organization_id, m.month)::float8 AS counted
  FROM (SELECT DISTINCT organization_id FROM messaging.channel WHERE $1::text IS NULL OR organization_id = $1) AS o
  CROSS JOIN (SELECT to_char((now() AT TIME ZONE 'UTC') - make_interval(months => ago), 'YYYY-MM') AS month
    FROM generate_series(0, 1) AS ago) AS m
  LEFT JOIN messaging.quota q ON q.organization_id = o.organization_id AND q.month = m.month
  ORDER BY 1, 2 DESC`;

/** What an organization has used of its months, as counted when its messages were accepted, whatever became of them. */
export async function showQuota(client: pg.ClientBase, choices: Choices): Promise<string[]> {
  const organization = organizationOf(choices);
  if (organization === null) throw new UsageError('Whose quota? Give the id of an organization.');
  await servicesIn(client, 'messaging');
  const { rows } = await client.query<Record<string, unknown>>(
    `SELECT organization_id AS organization, month, used::float8 AS used FROM messaging.quota
     WHERE organization_id = $1 ORDER BY month DESC LIMIT 24`,
    [organization],
  );
  if (rows.length === 0) return [`${organization} has sent nothing.`];
  return choices.json ? rows.map((row) => JSON.stringify(row)) : textTable(rows);
}

/**
 * Compares the counters of one organization, or of all, with the messages; with `--repair` sets those that differ, and
 * writes each into the audit log.
 *
 * @throws Error, and so exit code 1, when some differ and were not repaired
 */
export async function checkQuota(
  client: pg.ClientBase,
  choices: Choices,
  { operator }: Pick<AdminContext, 'operator'>,
): Promise<string[]> {
  await servicesIn(client, 'messaging');
  const { rows } = await client.query<QuotaRow>(COMPARE, [organizationOf(choices)]);
  const wrong = rows.filter(({ used, counted }) => used !== counted);
  if (choices.repair) for (const row of wrong) await repair(client, row, operator);
  const shown = choices.json ? rows.map((row) => JSON.stringify(row)) : textTable(rows.map((row) => ({ ...row })));
  if (wrong.length === 0) return [...shown, ...said(choices, `${rows.length} counters agree with the messages.`)];
  if (choices.repair) return [...shown, ...said(choices, `${wrong.length} counters were set to what is counted.`)];
  throw new Error([...shown, `${wrong.length} counters differ from the messages; --repair sets them.`].join('\n'));
}

/**
 * Under the counter's lock: whoever has taken before has committed and is counted, whoever comes waits and takes on top. The
 * count is a statement of its own, so that it sees all that was committed until the lock was had.
 */
async function repair(
  client: pg.ClientBase,
  { organization, month }: QuotaRow,
  operator: string | null,
): Promise<void> {
  const database = await gatewayDatabase(client);
  await database.transaction(async (tx) => {
    const key = [organization, month];
    await client.query('INSERT INTO messaging.quota VALUES ($1, $2, 0) ON CONFLICT DO NOTHING', key);
    const usedBefore = await usedBy(client, LOCK_USED, key);
    const usedAfter = await usedBy(client, SET_USED, key);
    if (usedBefore === usedAfter) return;
    operate(database, operator).appendQuotaRepair(tx, organization, { month, usedBefore, usedAfter });
  });
}

const LOCK_USED = `SELECT used::float8 AS used FROM messaging.quota
  WHERE organization_id = $1 AND month = $2 FOR UPDATE`;

const SET_USED = `UPDATE messaging.quota SET used = messaging.quota_counted($1, $2)
  WHERE organization_id = $1 AND month = $2 RETURNING used::float8 AS used`;

async function usedBy(client: pg.ClientBase, sql: string, key: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ used: number }>(sql, [...key]);
  if (!rows[0]) throw new Error('a counter that was locked is not there');
  return rows[0].used;
}

function organizationOf({ operands }: Choices): string | null {
  return operands[0] ?? null;
}

/** A line for people. */
function said(choices: Choices, line: string): string[] {
  return choices.json ? [] : [line];
}
