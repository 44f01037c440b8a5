import type { Database, Statement } from '@switchboard/postgres';

/** What some work on the database came to. */
export interface StatementCost<Result> {
  readonly result: Result;
  /** Names of its statements, in order. */
  readonly statements: readonly string[];
  /** Pages of 8 KiB that they touched, in memory or not. */
  readonly buffers: number;
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
    for (const { statement, values } of ran) {
      const sql = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement.text}`;
      const [row] = await database.dataSource.query(sql, [...values]);
      const [{ Plan: plan }] = row['QUERY PLAN'];
      buffers += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    }
    return { result, statements: ran.map(({ statement }) => statement.name), buffers };
  } finally {
    database.query = query;
  }
}
