import { operate } from '@switchboard/gateway/operate';
import type pg from 'pg';
import type { AdminContext } from './admin-context.js';
import { UsageError, type Choices } from './command-line.js';
import { chosenOrganization, gatewayDatabase, organizationIdOf } from './gateway-database.js';
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

const ORGANIZATIONS = 'SELECT DISTINCT organization_id AS organization FROM messaging.channel ORDER BY 1';
/**
 * This month and the last one: what is older takes nothing any more. One statement for an organization, so that counter and messages
 * are of the same moment: they change in the same transactions, and may be compared under any load. Not one for all of them, which
 * would read two months of everyone's messages.
 */
const COMPARE = `
  SELECT o.organization_id AS organization, m.month, coalesce(q.used, 0)::float8 AS used,
    messaging.quota_counted(o.organization_id, m.month)::float8 AS counted
  FROM (SELECT DISTINCT organization_id FROM messaging.channel WHERE organization_id = $1) AS o
  CROSS JOIN (SELECT to_char((now() AT TIME ZONE 'UTC') - make_interval(months => ago), 'YYYY-MM') AS month
    FROM generate_series(0, 1) AS ago) AS m
  LEFT JOIN messaging.quota q ON q.organization_id = o.organization_id AND q.month = m.month
  ORDER BY 1, 2 DESC`;

/** What an organization has used of its months, as counted when its messages were accepted, whatever became of them. */
export async function showQuota(client: pg.ClientBase, choices: Choices): Promise<string[]> {
  const [named] = choices.operands;
  if (named === undefined) throw new UsageError('Whose quota? Give the id or name of an organization.');
  await servicesIn(client, 'messaging');
  const organization = await organizationIdOf(client, named);
  const { rows } = await client.query<Record<string, unknown>>(
    `SELECT organization_id AS organization, month, used::float8 AS used FROM messaging.quota
     WHERE organization_id = $1 ORDER BY month DESC LIMIT 24`,
    [organization],
  );
  if (rows.length === 0) return [`${named} has sent nothing.`];
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
  const rows = await compared(client, await chosenOrganization(client, choices));
  const wrong = rows.filter(({ used, counted }) => used !== counted);
  if (choices.repair) for (const row of wrong) await repair(client, row, operator);
  const shown = choices.json ? rows.map((row) => JSON.stringify(row)) : textTable(rows.map((row) => ({ ...row })));
  if (wrong.length === 0) return [...shown, ...said(choices, `${rows.length} counters agree with the messages.`)];
  if (choices.repair) return [...shown, ...said(choices, `${wrong.length} counters were set to what is counted.`)];
  throw new Error([...shown, `${wrong.length} counters differ from the messages; --repair sets them.`].join('\n'));
}

async function compared(client: pg.ClientBase, chosen: string | null): Promise<QuotaRow[]> {
  const organizations =
    chosen === null
      ? (await client.query<Pick<QuotaRow, 'organization'>>(ORGANIZATIONS)).rows
      : [{ organization: chosen }];
  const rows: QuotaRow[] = [];
  for (const { organization } of organizations)
    rows.push(...(await client.query<QuotaRow>(COMPARE, [organization])).rows);
  return rows;
}

/**
 * Counts without a lock and adds the difference under one, which is held for no longer than a send holds it.
 *
 * Counter and messages change in the same transactions: what they differ by in one snapshot they differ by at any time, until
 * a repair changes it. Repairs of one counter wait for each other, so that none adds a difference twice.
 */
async function repair(
  client: pg.ClientBase,
  { organization, month }: QuotaRow,
  operator: string | null,
): Promise<void> {
  const database = await gatewayDatabase(client);
  await database.transaction(async (tx) => {
    const key = [organization, month];
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`quota.repair ${key.join(' ')}`]);
    const { rows: counted } = await client.query<{ difference: string }>(DIFFERENCE, key);
    const difference = counted[0]?.difference ?? '0';
    if (difference === '0') return;
    await client.query('INSERT INTO messaging.quota VALUES ($1, $2, 0) ON CONFLICT DO NOTHING', key);
    const { rows: changed } = await client.query<{ before: number; after: number }>(ADD, [...key, difference]);
    const [used] = changed;
    if (!used) throw new Error('a counter is gone that was there');
    operate(database, operator).appendQuotaRepair(tx, organization, {
      month,
      usedBefore: used.before,
      usedAfter: used.after,
    });
  });
}

/** One statement, so that counter and messages are of the same moment. */
const DIFFERENCE = `
  SELECT messaging.quota_counted($1, $2)
    - coalesce((SELECT used FROM messaging.quota WHERE organization_id = $1 AND month = $2), 0) AS difference`;

const ADD = `
  UPDATE messaging.quota SET used = used + $3::bigint WHERE organization_id = $1 AND month = $2
  RETURNING (used - $3::bigint)::float8 AS before, used::float8 AS after`;

/** A line for people. */
function said(choices: Choices, line: string): string[] {
  return choices.json ? [] : [line];
}
