import type { QueryRunner } from 'typeorm';

/** An index of a partitioned table. */
export interface PartitionedIndex {
  readonly table: string;
  readonly name: string;
  /** Columns and condition. */
  readonly definition: string;
}

/**
 * Makes an index of a partitioned table while rows are stored: on the parent alone, where new partitions find it, then
 * concurrently on each partition, and attached. Goes on where a former run ended; what that left invalid is made anew. Not for a
 * transaction.
 */
export async function createPartitionedIndex(
  runner: QueryRunner,
  { table, name, definition }: PartitionedIndex,
): Promise<void> {
  await runner.query(`CREATE INDEX IF NOT EXISTS ${name} ON ONLY ${table} ${definition}`);
  // It waits for transactions that are older, however long they take; it stops no other meanwhile.
  await runner.query('SET lock_timeout = 0');
  try {
    for (const partition of await partitionsWithout(runner, table, name)) {
      const index = `${name}${partition.slice(table.length)}`;
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
      await runner.query(`CREATE INDEX CONCURRENTLY ${index} ON ${partition} ${definition}`);
      await runner.query(`ALTER INDEX ${name} ATTACH PARTITION ${index}`);
    }
  } finally {
    await runner.query('RESET lock_timeout');
  }
}

async function partitionsWithout(runner: QueryRunner, table: string, index: string): Promise<string[]> {
  const rows: { name: string }[] = await runner.query(
    `SELECT part.inhrelid::regclass::text AS name FROM pg_inherits part
     WHERE part.inhparent = $2::regclass AND NOT EXISTS (
       SELECT FROM pg_inherits attached JOIN pg_index i ON i.indexrelid = attached.inhrelid
       WHERE attached.inhparent = $1::regclass AND i.indrelid = part.inhrelid)
     ORDER BY 1`,
    [index, table],
  );
  return rows.map(({ name }) => name);
}
