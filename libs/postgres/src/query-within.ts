import type { QueryResultRow } from 'pg';
import type { Database } from './database.js';
import type { Transaction } from './transaction.js';
import { statement, type Statement } from './statement.js';

const withinSql = statement('database.query-within', `SELECT set_config('statement_timeout', $1, true)`, {
  writesNothing: true,
});

/**
 * One statement with a time limit of its own, in a transaction: for looks without a waiting caller, which an old snapshot can make slow.
 *
 * @throws an error for which `isTimedOut` holds when it takes longer than that
 */
export async function queryWithin<Row extends QueryResultRow>(
  database: Pick<Database, 'transaction'>,
  withinMs: number,
  asked: { readonly statement: Statement<Row>; readonly values: readonly unknown[] },
): Promise<Row[]> {
  return database.transaction(async (tx) => {
    // In one round trip.
    const [, rows] = await Promise.all([limitStatements(tx, withinMs), tx.query(asked.statement, asked.values)]);
    return rows;
  });
}

/** Gives each later statement of a transaction a time limit of its own; `isTimedOut` holds for the error of one that takes longer. */
export async function limitStatements(tx: Transaction, withinMs: number): Promise<void> {
  await tx.query(withinSql, [`${withinMs}`]);
}
