import type { Database, Statement } from '@switchboard/postgres';
import { blocksOf, literal } from '@switchboard/testing';

/** What some work on the database came to. */
export interface StatementCost<Result> {
  readonly result: Result;
  /** Names of its statements, in order. */
  readonly statements: readonly string[];
  /** Pages of 8 KiB that they touched, in memory or not. */
  readonly buffers: number;
}

/** What a statement touches that is planned as the service plans it: for any values. EXPLAIN by itself plans for those it is given. */
async function buffersOf(database: Database, { text }: Statement, values: readonly unknown[]): Promise<number> {
  const runner = database.dataSource.createQueryRunner();
  try {
    await runner.query(`PREPARE explained AS ${text}`);
    const call = `explained(${values.map(literal).join(', ')})`;
    const [row] = await runner.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE ${call}`);
    await runner.query('DEALLOCATE explained');
    return blocksOf(row['QUERY PLAN'][0].Plan);
  } finally {
    await runner.release();
  }
}

/** Runs reads and counts what their statements touch, by running each again under EXPLAIN. */
export async function costOf<Result>(database: Database, work: () => Promise<Result>): Promise<StatementCost<Result>> {
  const ran: { statement: Statement; values: readonly unknown[] }[] = [];
  const query = database.query;
  database.query = <Row extends object>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> => {
    ran.push({ statement, values });
    return query.call(database, statement, values) as Promise<Row[]>;
  };
  try {
    const result = await work();
    let buffers = 0;
    for (const { statement, values } of ran) buffers += await buffersOf(database, statement, values);
    return { result, statements: ran.map(({ statement }) => statement.name), buffers };
  } finally {
    database.query = query;
  }
}
