import { operate } from '@switchboard/gateway/operate';
import { prepared, type Database, type Statement, type Transaction } from '@switchboard/postgres';
import type pg from 'pg';
import type { Choices } from './command-line.js';

/** The gateway's schema over the one connection of a command, for the gateway's own code to work on. */
export async function gatewayDatabase(client: pg.ClientBase): Promise<Pick<Database, 'query' | 'transaction'>> {
  const { rows } = await client.query(
    "SELECT FROM (SELECT to_regclass('gateway.audit_entry') AS found) AS t WHERE found IS NOT NULL",
  );
  if (rows.length === 0) throw new Error('This database has no tables of gateway, or they are not migrated.');
  await client.query('SET search_path = gateway');
  const query: Transaction['query'] = async <Row extends pg.QueryResultRow>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ) => (await client.query<Row>(prepared(statement, values))).rows;
  return {
    query,
    transaction: async (work) => {
      const deferred: (() => Promise<void>)[] = [];
      const shown: (() => void)[] = [];
      await client.query('BEGIN');
      try {
        const atCommit: Transaction['atCommit'] = (statement, values, onRows) =>
          void deferred.push(async () => {
            const rows = await query(statement, values);
            if (onRows) shown.push(() => onRows(rows));
          });
        const result = await work({ query, atCommit });
        for (const run of deferred) await run();
        await client.query('COMMIT');
        for (const show of shown) show();
        return result;
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      }
    },
  };
}

/** The id of an organization that is given by id or name. @throws AppError NOT_FOUND, CONFLICT */
export async function organizationIdOf(client: pg.ClientBase, organization: string): Promise<string> {
  return operate(await gatewayDatabase(client), null).idOf(organization);
}

/** The id of the organization that a command is for; null for all. @throws AppError NOT_FOUND, CONFLICT */
export async function chosenOrganization(client: pg.ClientBase, { operands }: Choices): Promise<string | null> {
  return operands[0] === undefined ? null : organizationIdOf(client, operands[0]);
}
