import { prepared, type Database, type Statement, type Transaction } from '@switchboard/postgres';
import type pg from 'pg';

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
      const deferred: (readonly [Statement, readonly unknown[]])[] = [];
      await client.query('BEGIN');
      try {
        const result = await work({ query, atCommit: (statement, values) => void deferred.push([statement, values]) });
        for (const [statement, values] of deferred) await query(statement, values);
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      }
    },
  };
}
